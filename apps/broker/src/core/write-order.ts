/** The position of a write among its connection's writes to the same session. */
export interface WriteTurn {
  /**
   * Resolves once every earlier write is in the queue, so that this write may begin. Undefined if it may begin immediately.
   */
  readonly earlierPlaced: Promise<void> | undefined;
  /** Resolves once every earlier write has ended. Undefined if none is in progress. */
  readonly earlierEnded: Promise<unknown> | undefined;
  /** Marks this write as queued in order, which lets the next write begin before this one has ended. */
  markPlaced(): void;
  /** Call when the write has ended, with or without success. */
  end(): void;
}

export interface WriteQueue {
  /** Takes the next turn for a write to this session. */
  take(session: string): WriteTurn;
}

/**
 * Makes the writes of one connection to one session take effect in the order in which they were sent (WS-12).
 * Posts enter the appender one after another without waiting for each other's commit, so they share commits.
 * Every other write waits until the earlier writes are committed.
 */
export function createWriteOrder(): WriteQueue {
  // The unfinished writes to all sessions, in order. A connection has only a few of them at a time.
  const turns: QueuedWriteTurn[] = [];
  return {
    take(session) {
      const turn = new QueuedWriteTurn(session, turns);
      turns.push(turn);
      return turn;
    },
  };
}

class QueuedWriteTurn implements WriteTurn {
  readonly session: string;
  readonly #turns: QueuedWriteTurn[];
  readonly earlierPlaced: Promise<void> | undefined;
  #isPlaced = false;
  #resolvePlaced: (() => void) | undefined;
  #resolveEnded: (() => void) | undefined;
  #ended: Promise<void> | undefined;

  constructor(session: string, turns: QueuedWriteTurn[]) {
    this.session = session;
    this.#turns = turns;
    let at = turns.length - 1;
    while (at >= 0 && turns[at]?.session !== session) at -= 1;
    const before = turns[at];
    this.earlierPlaced = before === undefined || before.#isPlaced ? undefined : before.#waitUntilPlaced();
  }

  get earlierEnded(): Promise<unknown> | undefined {
    const before = this.#turns.slice(0, this.#turns.indexOf(this));
    const earlier = before.filter((turn) => turn.session === this.session);
    return earlier.length === 0 ? undefined : Promise.all(earlier.map((turn) => turn.#waitUntilEnded()));
  }

  markPlaced(): void {
    this.#isPlaced = true;
    this.#resolvePlaced?.();
  }

  end(): void {
    // The usual case: the oldest write ends first.
    if (this.#turns[0] === this) this.#turns.shift();
    else this.#turns.splice(this.#turns.indexOf(this), 1);
    this.markPlaced();
    this.#resolveEnded?.();
  }

  /** Resolves once this write is queued. Only the next write calls this. */
  #waitUntilPlaced(): Promise<void> {
    return new Promise((resolve) => {
      this.#resolvePlaced = resolve;
    });
  }

  #waitUntilEnded(): Promise<void> {
    this.#ended ??= new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
    return this.#ended;
  }
}
