const tickMs = 1_000;

/* All ages on a page update with one shared timer, which runs while the page is visible. */
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let now = Date.now();

/** Returns the time of the last tick, so that everything rendered together shows consistent ages. */
export function readTime(): number {
  return timer === undefined ? Date.now() : now;
}

export function onTick(listener: () => void): () => void {
  listeners.add(listener);
  if (listeners.size === 1) start();
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) stop();
  };
}

function start(): void {
  document.addEventListener("visibilitychange", runWhileVisible);
  runWhileVisible();
}

function stop(): void {
  document.removeEventListener("visibilitychange", runWhileVisible);
  clearInterval(timer);
  timer = undefined;
}

function runWhileVisible(): void {
  clearInterval(timer);
  timer = undefined;
  if (document.visibilityState === "hidden") return;
  notifyTick();
  timer = setInterval(notifyTick, tickMs);
}

function notifyTick(): void {
  now = Date.now();
  for (const listener of [...listeners]) listener();
}
