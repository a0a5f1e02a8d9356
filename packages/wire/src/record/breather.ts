/**
 * Creates a function to call regularly during long work. Once the thread has been busy for `turnMs`, the
 * function yields, so that a page can render or a broker can reply.
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
