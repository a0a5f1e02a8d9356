import { realpathSync } from "node:fs";

/**
 * The file that Node was started with, which is `bin/merkle.mjs` of a checkout and of an installed package alike: what
 * another process is told to run when it shall run this same merkle. Links, such as npm's, are followed, for they may
 * be gone by then.
 */
export function entryFile(): string {
  return realpathSync(process.argv[1] ?? "");
}
