/**
 * Rows of a query that goes on behind the last row it answered, slice by slice: the next one is read when it is asked for.
 * `readAfter` gets that row, undefined at first, and answers at most `size` rows; fewer are the last ones.
 */
export async function* readInSlices<Row>(
  size: number,
  readAfter: (last: Row | undefined) => Promise<Row[]>,
): AsyncGenerator<Row[], void, undefined> {
  let last: Row | undefined
  for (;;) {
    const rows = await readAfter(last)
    if (rows.length > 0) yield rows
    if (rows.length < size) return
    last = rows.at(-1)
  }
}
