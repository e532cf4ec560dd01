/** The smallest of the values that at least `percent` of them do not exceed (nearest rank); undefined when there are none. */
export function percentile(sorted: Float64Array, percent: number): number | undefined {
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)]
}

export function sort(values: readonly number[]): Float64Array {
  return Float64Array.from(values).sort()
}

/** Of at least one value. */
export function median(values: readonly number[]): number {
  return percentile(sort(values), 50)!
}
