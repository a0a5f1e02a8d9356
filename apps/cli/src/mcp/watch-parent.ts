import { isPosix } from "../core/platform.js";
import type { StdioTransport } from "./stdio-transport.js";

const lookEveryMs = 2_000;
const answerWithinMs = 5_000;

/**
 * Watches the parent process. stdin normally ends when the client exits, but stays open while another
 * process, such as a child of the client, has the pipe open.
 *
 * After the parent has exited, `gone` is called as soon as a ping is not answered. The ping is needed because
 * the client need not be the parent process.
 *
 * @returns a function that stops watching
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
  // An orphaned process gets a new parent id, except on Windows, where the old id remains.
  if (process.ppid !== parent) return false;
  if (isPosix()) return true;
  try {
    process.kill(parent, 0);
    return true;
  } catch (error) {
    return Object(error).code !== "ESRCH";
  }
}
