/** Does one thing after the other where they have one key. */
export type Turns = <Result>(key: string, work: () => Promise<Result>) => Promise<Result>;

/**
 * Writes of one session wait for its rows anyway. Where several nodes do, those of each come one by one, so that no more than one a
 * node stands in PostgreSQL's queue, and none is in it for longer than a lock may be waited for.
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
