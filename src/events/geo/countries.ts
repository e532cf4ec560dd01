import currencies from 'country-to-currency'
import iso_3166 from 'i18n-iso-countries/index.js'
import type { Queryable } from '../../platform/db/db.ts'
import { statements, type CountryRow } from './geo-rows.ts'
import type { Language } from './language.ts'

export type Country = {
  /** The two-letter code, in upper case. */
  readonly id: string
  readonly name: string
  /** ISO 4217, the usual one; empty when it is not known, as the rest. */
  readonly currency: string
  /** ISO 3166-1: two letters, three letters, and the number, 0 when there is none. */
  readonly iso: string
  readonly iso3: string
  readonly iso_numeric: number
}

const ISO_IDS = Object.keys(iso_3166.getAlpha2Codes())
const CURRENCIES: Readonly<Record<string, string>> = currencies
const NAMES: Readonly<Record<Language, Intl.DisplayNames>> = {
  en: new Intl.DisplayNames('en', { type: 'region' }),
  ru: new Intl.DisplayNames('ru', { type: 'region' }),
}

/**
 * The countries of ISO 3166-1, Kosovo, and what else the catalog has, in the order of their ids; of `ids`, in either case, those
 * that there are. The catalog's names win over those of CLDR.
 */
export async function listCountries(
  { db, ids }: { db: Queryable; ids?: readonly string[] | undefined },
  language: Language,
): Promise<Country[]> {
  const own = await db.query<CountryRow>(statements.own_countries)
  const own_names = new Map(own.map(({ id, name }) => [id, name[language]]))
  const wanted = ids && new Set(ids.map((id) => id.toUpperCase()))
  return [...new Set([...ISO_IDS, ...own_names.keys()])]
    .filter((id) => wanted === undefined || wanted.has(id))
    .toSorted()
    .map((id) => countryOf(id, own_names.get(id) ?? NAMES[language].of(id) ?? id))
}

function countryOf(id: string, name: string): Country {
  const iso3 = iso_3166.alpha2ToAlpha3(id)
  return {
    id,
    name,
    currency: CURRENCIES[id] ?? '',
    iso: iso3 === undefined ? '' : id,
    iso3: iso3 ?? '',
    iso_numeric: Number(iso_3166.alpha2ToNumeric(id) ?? 0),
  }
}
