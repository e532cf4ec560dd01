/**
 * Whether a lane that has no batch in flight begins one with what waits, or gathers a little longer. Clients that were just
 * answered often come again at once. Without gathering the first of them begins a batch almost alone and has all others wait for
 * it, so that they are cut into two halves that take turns, each in batches that cost nearly as much as the whole. As with
 * PostgreSQL's `commit_delay` and `commit_siblings`, a lane waits only when there are several to wait for, and for a time that is
 * short beside a batch.
 */

export type Gathering = {
  /** Commands that are enough for a batch now; 1 when none are waited for. */
  enough(): number
  /** A batch has ended and no other is in flight. */
  begin(ended: EndedBatch): void
  /** A batch begins, with what has come so far. */
  end(): void
}

export type EndedBatch = {
  /** Commands that it answered: as many may come again. */
  answered: number
  /** Those that wait already. */
  waiting: number
  took_ms: number
}

export type GatheringOptions = {
  /** Commands that are always enough. */
  enough_max: number
  /** Called when the time is over: what has come is enough. */
  onOver: () => void
}

/** With fewer, little is to be won, and one client alone is never to wait. */
const EXPECTED_MIN = 5

/** Of the time that the batch before took. */
const SHARE_OF_BATCH = 0.25

const WAIT_MAX_MS = 5

/**
 * A batch that took longer says that the database is in trouble, not that clients need longer to come again. Those who wait have
 * waited for long then, and while they do none may be let in behind them: they go at once.
 */
const BATCH_MAX_MS = 100

export function createGathering({ enough_max, onOver }: GatheringOptions): Gathering {
  let enough = 1
  let timer: NodeJS.Timeout | undefined

  function end(): void {
    clearTimeout(timer)
    timer = undefined
    enough = 1
  }

  return {
    enough: () => enough,
    begin({ answered, waiting, took_ms }) {
      const expected = Math.min(answered + waiting, enough_max)
      if (expected < EXPECTED_MIN || waiting >= expected || took_ms > BATCH_MAX_MS) return
      enough = expected
      const over = () => {
        end()
        onOver()
      }
      timer = setTimeout(over, Math.min(took_ms * SHARE_OF_BATCH, WAIT_MAX_MS))
    },
    end,
  }
}
