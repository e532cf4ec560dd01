/** Counts the answers of a service and those among them that are not as documented. */

/** The demo cannot be played at all; the message says why and what to do. */
export class CannotPlay extends Error {}

/** An answer was not as documented: shown already, and what follows from it cannot be played. */
export class NotAsDocumented extends Error {}

export type Judge = {
  /** Shows what is wrong with something, or that nothing is. Throws NotAsDocumented. */
  judge(step: string, faults: readonly string[]): void
  /** The same, of an answer. */
  judgeAnswer(step: string, faults: readonly string[]): void
  counts(): { answers: number; faulty: number }
}

export function createJudge(): Judge {
  let answers = 0
  let faulty = 0

  function judge(step: string, faults: readonly string[]): void {
    if (faults.length === 0) return console.log('ok')
    faulty++
    for (const fault of faults) console.log(`NOT AS DOCUMENTED: ${fault}`)
    throw new NotAsDocumented(step)
  }

  return {
    judge,
    judgeAnswer(step, faults) {
      answers++
      judge(step, faults)
    },
    counts: () => ({ answers, faulty }),
  }
}
