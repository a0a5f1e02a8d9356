/**
 * Creates a function that yields the thread after it was busy for `turnMs`, so that a page can render and a
 * broker can reply.
 */
export function createBreather(turnMs = 12): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < turnMs) return undefined;
    return new Promise((resolve) => {
      setTimeout(() => {
        since = performance.now();
        resolve();
      });
    });
  };
}
