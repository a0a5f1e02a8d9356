/** Lets others have the thread when this one had it for a while: a page goes on drawing, a broker answering. */
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
