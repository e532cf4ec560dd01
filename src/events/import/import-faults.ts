/** A mistake in a catalog file; `path` is its JSON path, such as `$.events[0].sets[2].price`. */
export type Fault = { path: string; message: string }

/** The catalog file cannot be imported: everything that is wrong with it. Nothing was changed. */
export class ImportFaults extends Error {
  readonly faults: readonly Fault[]

  constructor(faults: readonly Fault[]) {
    super(faults.map(({ path, message }) => `${path}: ${message}`).join('\n'))
    this.name = 'ImportFaults'
    this.faults = faults
  }
}

export type FaultList = {
  /** The first fault of a path is kept; what follows from it is not repeated. */
  add(path: string, message: string): void
  /** Throws ImportFaults when there are any. */
  throwIfAny(): void
}

export function createFaultList(): FaultList {
  const faults = new Map<string, string>()
  return {
    add: (path, message) => {
      if (!faults.has(path)) faults.set(path, message)
    },
    throwIfAny: () => {
      if (faults.size > 0) throw new ImportFaults([...faults].map(([path, message]) => ({ path, message })))
    },
  }
}

/** `$.events` and `0` make `$.events[0]`, and with `desc` `$.events[0].desc`. */
export function childPath(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}[${key}]`
  return /^[A-Za-z_$][\w$]*$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`
}
