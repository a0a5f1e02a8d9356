const tickMs = 1_000;

/*
 * Every age on a page grows by the same clock: one timer, which runs while somebody looks at the page.
 */
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let now = Date.now();

/** The time as of the last tick, so that all that is drawn at once agrees. */
export function currentTime(): number {
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
  tick();
  timer = setInterval(tick, tickMs);
}

function tick(): void {
  now = Date.now();
  for (const listener of [...listeners]) listener();
}
