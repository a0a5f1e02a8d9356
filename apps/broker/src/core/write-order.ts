/** A write as those see it that came before it on its connection, for the same session. */
export interface WriteTurn {
  /** Resolves when each write before has ended; undefined where none is under way. */
  readonly earlierEnded: Promise<unknown> | undefined;
  /** Lets the next write begin although this one has not ended: a queue that keeps the order has it. */
  placed(): void;
}

export interface WriteOrder {
  /** Runs a write when each one before has its place, with the word that gives it its own. */
  run<Result>(session: string, write: (turn: WriteTurn) => Promise<Result>): Promise<Result>;
}

/**
 * Has the writes of one connection to one session take effect in the order in which they were sent (WS-12). Posts go to the
 * appender one behind the other without waiting for each other's commit, and so share one; everything else waits for it.
 */
export function createWriteOrder(): WriteOrder {
  /** The writes of each session that have not ended, as they came. */
  const underWay = new Map<string, Turn[]>();

  return {
    run(session, write) {
      const turns = underWay.get(session) ?? [];
      underWay.set(session, turns);
      const last = turns.at(-1);
      const turn = new Turn(turns);
      turns.push(turn);
      const result = !last || last.isPlaced ? write(turn) : last.whenPlaced().then(() => write(turn));
      turn.result = result;
      const end = () => {
        turns.splice(turns.indexOf(turn), 1);
        if (turns.length === 0) underWay.delete(session);
        turn.placed();
      };
      result.then(end, end);
      return result;
    },
  };
}

class Turn implements WriteTurn {
  readonly #turns: readonly Turn[];
  #tellPlaced: (() => void) | undefined;
  isPlaced = false;
  result: Promise<unknown> | undefined;

  constructor(turns: readonly Turn[]) {
    this.#turns = turns;
  }

  get earlierEnded(): Promise<unknown> | undefined {
    const earlier = this.#turns.slice(0, this.#turns.indexOf(this));
    return earlier.length === 0 ? undefined : Promise.allSettled(earlier.map((turn) => turn.result));
  }

  placed(): void {
    this.isPlaced = true;
    this.#tellPlaced?.();
  }

  /** Asked by the write behind it alone. */
  whenPlaced(): Promise<void> {
    return new Promise((resolve) => {
      this.#tellPlaced = resolve;
    });
  }
}
