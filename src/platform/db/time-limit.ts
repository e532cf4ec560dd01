/** The database has not answered in time; what was asked may still happen. */
export class StoreTooSlow extends Error {
  constructor(limit_ms: number) {
    super(`the database has not answered within ${limit_ms} ms`)
  }
}

/** The answer, or StoreTooSlow when it takes longer than `limit_ms`. */
export function within<T>(limit_ms: number, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new StoreTooSlow(limit_ms)), limit_ms)
    answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
