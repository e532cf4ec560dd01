import type { LocalName } from '../event-entry.ts'

/** The languages that names of places are shown in. */
export type Language = Exclude<keyof LocalName, 'default'>
