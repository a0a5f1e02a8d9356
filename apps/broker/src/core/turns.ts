/** Runs work with the same key one at a time. */
export type Turns = <Result>(key: string, work: () => Promise<Result>) => Promise<Result>;

/**
 * Creates a queue of writes for each session. Writes to the same session would wait for each other's row locks
 * anyway. With several nodes, each node sends only one such write at a time. This keeps PostgreSQL's lock queue
 * short, so no write exceeds the lock timeout.
 */
export function createTurns(): Turns {
  const last = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    const turn = (last.get(key) ?? Promise.resolve()).then(work);
    const ended = turn.catch(() => undefined);
    last.set(key, ended);
    try {
      return await turn;
    } finally {
      if (last.get(key) === ended) last.delete(key);
    }
  };
}
