/** Delay after the load event, in milliseconds. By then a page has shown its content, and further parts can load. */
const settledAfterMs = 3_000;

/* A page settles once. All listeners are called together when the browser is idle. */
const listeners = new Set<() => void>();
let hasSettled = false;
let isWaiting = false;

export function isSettled(): boolean {
  return hasSettled;
}

/** Calls the listener once the page has settled. Returns a function that removes it. */
export function onSettled(listener: () => void): () => void {
  listeners.add(listener);
  wait();
  return () => void listeners.delete(listener);
}

function wait(): void {
  if (isWaiting || hasSettled) return;
  isWaiting = true;
  if (document.readyState === "complete") setTimeout(settleWhenIdle, settledAfterMs);
  else window.addEventListener("load", () => setTimeout(settleWhenIdle, settledAfterMs), { once: true });
}

function settleWhenIdle(): void {
  // Safari has no requestIdleCallback yet.
  if ("requestIdleCallback" in window) requestIdleCallback(settle, { timeout: settledAfterMs });
  else settle();
}

function settle(): void {
  hasSettled = true;
  for (const listener of [...listeners]) listener();
}
