/** A write's turn among those of its connection to the same session. */
export interface WriteTurn {
  /** Resolves when each write before has its place, and this one may begin; undefined where it may at once. */
  readonly mayBegin: Promise<void> | undefined;
  /** Resolves when each write before has ended; undefined where none is under way. */
  readonly earlierEnded: Promise<unknown> | undefined;
  /** Lets the next write begin although this one has not ended: a queue that keeps the order has it. */
  placed(): void;
  /** To be called when the write has ended, however it did. */
  end(): void;
}

export interface WriteOrder {
  /** Takes the next turn. */
  take(session: string): WriteTurn;
}

/**
 * Has the writes of one connection to one session take effect in the order in which they were sent (WS-12). Posts go to the
 * appender one behind the other without waiting for each other's commit, and so share one; everything else waits for it.
 */
export function createWriteOrder(): WriteOrder {
  // Those of all sessions that have not ended, as they came: a connection has few under way.
  const turns: Turn[] = [];
  return {
    take(session) {
      const turn = new Turn(session, turns);
      turns.push(turn);
      return turn;
    },
  };
}

class Turn implements WriteTurn {
  readonly session: string;
  readonly #turns: Turn[];
  readonly mayBegin: Promise<void> | undefined;
  #isPlaced = false;
  #tellPlaced: (() => void) | undefined;
  #tellEnded: (() => void) | undefined;
  #ended: Promise<void> | undefined;

  constructor(session: string, turns: Turn[]) {
    this.session = session;
    this.#turns = turns;
    let at = turns.length - 1;
    while (at >= 0 && turns[at]?.session !== session) at -= 1;
    const before = turns[at];
    this.mayBegin = before === undefined || before.#isPlaced ? undefined : before.#whenPlaced();
  }

  get earlierEnded(): Promise<unknown> | undefined {
    const before = this.#turns.slice(0, this.#turns.indexOf(this));
    const earlier = before.filter((turn) => turn.session === this.session);
    return earlier.length === 0 ? undefined : Promise.all(earlier.map((turn) => turn.#whenEnded()));
  }

  placed(): void {
    this.#isPlaced = true;
    this.#tellPlaced?.();
  }

  end(): void {
    // Nearly all end in their order.
    if (this.#turns[0] === this) this.#turns.shift();
    else this.#turns.splice(this.#turns.indexOf(this), 1);
    this.placed();
    this.#tellEnded?.();
  }

  /** Asked by the write behind it alone. */
  #whenPlaced(): Promise<void> {
    return new Promise((resolve) => {
      this.#tellPlaced = resolve;
    });
  }

  #whenEnded(): Promise<void> {
    this.#ended ??= new Promise((resolve) => {
      this.#tellEnded = resolve;
    });
    return this.#ended;
  }
}
