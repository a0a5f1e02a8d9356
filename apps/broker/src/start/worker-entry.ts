import { existsSync } from "node:fs";

/**
 * The script of a worker's thread. It stands beside this file when it is compiled or bundled; Node 20 cannot run TypeScript,
 * so from the sources it is the compiled one as well.
 */
export function workerEntry(): URL {
  const beside = new URL("./worker.js", import.meta.url);
  return existsSync(beside) ? beside : new URL("../../dist/start/worker.js", import.meta.url);
}
