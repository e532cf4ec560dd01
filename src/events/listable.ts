/** Events of an organizer (null: all) that may be listed. */
export type ListableScope = { readonly org: string; readonly events: readonly string[] | null }

/** The events that a caller may list; the places, schemes and labels that it may list are theirs. */
export type Listable = {
  /** An event is listed when a scope has it. */
  readonly scopes: readonly ListableScope[]
  /** The only events listed; null: any. */
  readonly only: readonly string[] | null
}

/**
 * $1 to $4 of the statements: organizers with any event that is listed; those all of whose events are; events that are listed
 * of the others; the only events, or null.
 */
export function listableValues({ scopes, only }: Listable): unknown[] {
  return [
    scopes.map(({ org }) => org),
    scopes.filter(({ events }) => events === null).map(({ org }) => org),
    scopes.flatMap(({ events }) => events ?? []),
    only,
  ]
}

/** Those of the scopes that are of the organizer; all of them when none is asked for. */
export function scopesOfOrg<Scope extends ListableScope>(
  scopes: readonly Scope[],
  org: string | undefined,
): readonly Scope[] {
  return org === undefined ? scopes : scopes.filter((scope) => scope.org === org)
}
