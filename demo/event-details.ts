/** What else the listing service tells of an event: where it is, the scheme of its hall, its group, category, tags and artists. */
import type { Event } from '../src/grpc/generated/events_pb.js'
import type { Map as HallMap } from '../src/grpc/generated/venues_pb.js'
import { idOf, same, sameTexts } from './checks.ts'
import type { Lister } from './lister.ts'
import { msOf } from './schema-checks.ts'

/** `id` is that of an event on sale. */
export async function playEventDetails(lister: Lister, id: string): Promise<void> {
  const [event] = await lister.list({
    step: 'What else is told of the event: first it alone, by its id',
    method: 'events',
    request: { ids: [id] },
    check: (events) => sameIds(events, [id]),
  })
  await lookAtPlace(lister, event!)
  await lookAtScheme(lister, event!)
  await lookAtGroup(lister, event!)
  await lookAtLabels(lister, event!)
}

async function lookAtPlace(lister: Lister, event: Event): Promise<void> {
  const [venue] = await lister.list({
    step: 'Its venue',
    method: 'venues',
    request: { ids: [event.venue] },
    check: (venues) => sameIds(venues, [event.venue]),
  })
  const [city] = await lister.list({
    step: 'The city',
    method: 'cities',
    request: { ids: [venue!.city] },
    check: (cities) => sameIds(cities, [venue!.city]),
  })
  await lister.list({
    step: 'The country, by its Russian name',
    method: 'countries',
    request: { ids: [city!.country] },
    metadata: { 'preferred-language': 'ru' },
    check: (countries) => [
      ...sameIds(countries, [city!.country]),
      ...countries.flatMap(({ name }) =>
        same(`whether ${name} is Russian`, /^\p{Script=Cyrillic}/u.test(name), true),
      ),
    ],
  })
}

async function lookAtScheme(lister: Lister, event: Event): Promise<void> {
  if (event.map === '') return
  await lister.list({
    step: 'The scheme of its hall, with the seats and where they are',
    method: 'maps',
    request: { ids: [event.map] },
    check: (maps) => [...sameIds(maps, [event.map]), ...maps.flatMap((map) => checkScheme(map, event))],
  })
}

function checkScheme({ venue, sectors, seats, svg }: HallMap, event: Event): string[] {
  const seated = new Set(sectors.filter(({ withSeats }) => withSeats).map(idOf))
  const known = new Set(sectors.map(idOf))
  const elsewhere = seats.find(({ sector }) => !seated.has(sector))
  return [
    ...same('[0].venue', venue, event.venue),
    ...event.sets
      .filter(({ sector, withSeats }) => sector !== '' && !(withSeats ? seated : known).has(sector))
      .map(({ id, sector }) => `[0].sectors lacks ${sector}, that of the set ${id}`),
    ...(elsewhere ? [`[0].seats must be in sectors with seats, one is in ${elsewhere.sector}`] : []),
    ...Object.entries(svg).flatMap(([name, text]) =>
      same(`whether svg.${name} is SVG`, text.includes('<svg'), true),
    ),
  ]
}

async function lookAtGroup(lister: Lister, { meta, org, lifetime }: Event): Promise<void> {
  if (meta === '') return
  await lister.list({
    step: 'The group that it is in, from the start of the first of its events to the end of the last',
    method: 'metaEvents',
    request: { ids: [meta] },
    check: (groups) => [
      ...sameIds(groups, [meta]),
      ...groups.flatMap((group) => [
        ...same('[0].org', group.org, org),
        ...same(
          'whether first_start is that of the event or before',
          msOf(group.firstStart) <= msOf(lifetime?.start),
          true,
        ),
        ...same(
          'whether last_finish is that of the event or after',
          msOf(group.lastFinish) >= msOf(lifetime?.finish),
          true,
        ),
      ]),
    ],
  })
}

async function lookAtLabels(lister: Lister, { category, tags, artists }: Event): Promise<void> {
  if (category !== '') {
    await lister.list({
      step: 'Its category',
      method: 'categories',
      request: { ids: [category] },
      check: (categories) => sameIds(categories, [category]),
    })
  }
  if (tags.length > 0) {
    await lister.list({
      step: 'Its tags',
      method: 'tags',
      request: { ids: tags },
      check: (listed) => sameIds(listed, tags),
    })
  }
  if (artists.length > 0) {
    await lister.list({
      step: 'Its artists',
      method: 'artists',
      request: { ids: artists },
      check: (listed) => sameIds(listed, artists),
    })
  }
}

/** The records are those that were asked for. */
function sameIds(records: readonly { id: string | number }[], ids: readonly (string | number)[]): string[] {
  return sameTexts(
    'the ids',
    records.map(({ id }) => String(id)),
    ids.map(String),
  )
}
