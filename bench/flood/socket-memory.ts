import { readFile } from "node:fs/promises";
import { setInterval as every } from "node:timers/promises";

const lookMs = 100;
const pageBytes = 4_096;

/** Watches what the system itself holds for all connections, at both ends; the largest in bytes when it is stopped. */
export function watchSocketMemory(): () => Promise<number> {
  const stopped = new AbortController();
  let peak = 0;
  const watching = (async () => {
    try {
      for await (const _ of every(lookMs, null, { signal: stopped.signal }))
        peak = Math.max(peak, await read());
    } catch (error) {
      if (!stopped.signal.aborted) throw error;
    }
  })();
  return async () => {
    stopped.abort();
    await watching;
    return peak;
  };
}

/** Zero where the system does not say. */
async function read(): Promise<number> {
  const text = await readFile("/proc/net/sockstat", "utf8").catch(() => "");
  return Number(/^TCP:.* mem (\d+)$/m.exec(text)?.[1] ?? 0) * pageBytes;
}
