import { isPosix } from "../core/platform.js";
import type { StdioTransport } from "./stdio-transport.js";

const lookEveryMs = 2_000;
const answerWithinMs = 5_000;

/**
 * Watches the process that started this one. The end of stdin says that a client has gone, but not while another process, such
 * as a child of the client, still has the pipe open. Once the parent has ended, `gone` is called as soon as a ping is not
 * answered: a client may be another process than the parent, which only started us.
 *
 * @returns how to stop watching
 */
export function watchParent({ ping }: Pick<StdioTransport, "ping">, gone: () => void): () => void {
  const parent = process.ppid;
  let asking = false;
  const timer = setInterval(() => {
    if (asking || isRunning(parent)) return;
    asking = true;
    void ping(answerWithinMs).then((answered) => {
      asking = false;
      if (!answered) gone();
    });
  }, lookEveryMs);
  timer.unref();
  return () => clearInterval(timer);
}

function isRunning(parent: number): boolean {
  // Another process becomes the parent of an orphan, except on Windows, which keeps the old number.
  if (process.ppid !== parent) return false;
  if (isPosix()) return true;
  try {
    process.kill(parent, 0);
    return true;
  } catch (error) {
    return Object(error).code !== "ESRCH";
  }
}
