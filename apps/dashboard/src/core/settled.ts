/** So long after its load a page has what it shows, and the machine has time for what might be wanted next. */
const settledAfterMs = 3_000;

/*
 * A page settles once. What waits for that is told together, in a moment in which the browser has nothing better to do.
 */
const listeners = new Set<() => void>();
let settled = false;
let isWaiting = false;

export function isSettled(): boolean {
  return settled;
}

/** Tells once the page has settled; returns how not to be told. */
export function onSettled(listener: () => void): () => void {
  listeners.add(listener);
  wait();
  return () => void listeners.delete(listener);
}

function wait(): void {
  if (isWaiting || settled) return;
  isWaiting = true;
  if (document.readyState === "complete") setTimeout(settleWhenIdle, settledAfterMs);
  else window.addEventListener("load", () => setTimeout(settleWhenIdle, settledAfterMs), { once: true });
}

function settleWhenIdle(): void {
  // Safari has no such callback yet.
  if ("requestIdleCallback" in window) requestIdleCallback(settle, { timeout: settledAfterMs });
  else settle();
}

function settle(): void {
  settled = true;
  for (const listener of [...listeners]) listener();
}
