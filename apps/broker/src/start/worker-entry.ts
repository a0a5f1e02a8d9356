import { existsSync } from "node:fs";

/**
 * Returns the URL of the worker threads' script, which is next to this file when compiled or bundled. Node 20
 * cannot run TypeScript, so code that runs from the sources uses the compiled script too.
 */
export function getWorkerEntry(): URL {
  const beside = new URL("./worker.js", import.meta.url);
  return existsSync(beside) ? beside : new URL("../../dist/start/worker.js", import.meta.url);
}
