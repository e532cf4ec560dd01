/**
 * The time zone of a city, by its coordinates and its country. The borders in tz-lookup are rough: about 2 % of the cities of
 * the world, those near a border, come out in a zone of the country behind it, and some of them, Dili among them, with another
 * time. So a zone counts only if it is one of the city's own country; a city without such a zone gets that of the nearest city
 * of its country that has one. A country whose zones are not known (Kosovo) keeps what was looked up.
 */
import tzLookup from '@photostructure/tz-lookup'

export type Place = { readonly country: string; readonly longitude: number; readonly latitude: number }

/** The IANA names of the zones, in the order of the places; `country` is a two-letter code, coordinates are degrees. */
export function timezonesOf(places: readonly Place[]): string[] {
  const zones = places.map(({ longitude, latitude }) => tzLookup(latitude, longitude))
  const by_country = Map.groupBy(places.keys(), (index) => places[index]!.country)
  for (const [country, indexes] of by_country) {
    const own_zones = zonesOfCountry(country)
    const isOwn = remember((zone) => own_zones.includes(zone) || own_zones.includes(canonicalZone(zone)))
    const { settled = [], foreign = [] } = Object.groupBy(indexes, (index) =>
      isOwn(zones[index]!) ? 'settled' : 'foreign',
    )
    for (const index of foreign) {
      const neighbour = nearest(places, places[index]!, settled)
      zones[index] = (neighbour === undefined ? own_zones[0] : zones[neighbour]) ?? zones[index]!
    }
  }
  return zones
}

/** Which of the candidates is nearest; on the scale of a country the earth is flat enough. */
function nearest(places: readonly Place[], to: Place, candidates: readonly number[]): number | undefined {
  const shrink = Math.cos((to.latitude * Math.PI) / 180)
  let best: number | undefined
  let best_distance = Infinity
  for (const index of candidates) {
    const { longitude, latitude } = places[index]!
    const distance = ((longitude - to.longitude) * shrink) ** 2 + (latitude - to.latitude) ** 2
    if (distance < best_distance) [best, best_distance] = [index, distance]
  }
  return best
}

function zonesOfCountry(country: string): readonly string[] {
  // The types of TypeScript's es2024 do not have it yet.
  const locale = new Intl.Locale(`und-${country}`) as Intl.Locale & { getTimeZones(): string[] | undefined }
  return locale.getTimeZones() ?? []
}

/** The name that Intl prefers, which is an older one for some zones: Asia/Calcutta for Asia/Kolkata. */
function canonicalZone(zone: string): string {
  return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone
}

function remember<Value>(work: (key: string) => Value): (key: string) => Value {
  const known = new Map<string, Value>()
  return (key) => {
    const value = known.get(key) ?? work(key)
    known.set(key, value)
    return value
  }
}
