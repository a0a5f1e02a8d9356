/** A write as those see it that came before it on its connection, for the same session. */
export interface WriteTurn {
  /** Resolves when each write before has ended. */
  readonly earlierEnded: Promise<void>;
  /** Lets the next write begin although this one has not ended: a queue that keeps the order has it. */
  placed(): void;
}

export interface WriteOrder {
  /** Runs a write when each one before has its place, with the word that gives it its own. */
  run<Result>(session: string, write: (turn: WriteTurn) => Promise<Result>): Promise<Result>;
}

interface Tail {
  readonly placed: Promise<void>;
  readonly ended: Promise<void>;
}

const nothingBefore: Tail = { placed: Promise.resolve(), ended: Promise.resolve() };

/**
 * Has the writes of one connection to one session take effect in the order in which they were sent (WS-12). Posts go to the
 * appender one behind the other without waiting for each other's commit, and so share one; everything else waits for it.
 */
export function createWriteOrder(): WriteOrder {
  const tails = new Map<string, Tail>();

  return {
    run(session, write) {
      const before = tails.get(session) ?? nothingBefore;
      let placed = () => {};
      const hasPlace = new Promise<void>((resolve) => {
        placed = resolve;
      });
      const result = before.placed.then(() => write({ earlierEnded: before.ended, placed })).finally(placed);
      const ended = Promise.allSettled([before.ended, result]).then(() => {
        if (tails.get(session) === tail) tails.delete(session);
      });
      const tail: Tail = { placed: hasPlace, ended };
      tails.set(session, tail);
      return result;
    },
  };
}
