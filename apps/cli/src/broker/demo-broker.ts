import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { sha256 } from "../core/sha256.js";
import { findRunningBroker, type RunningBroker } from "./run-file.js";

/** Returns the path prefix of the temporary homes in which `merkle demo` starts its own broker. */
export function toDemoHomePrefix(home: string): string {
  return join(tmpdir(), `merkle-demo-${sha256(home).slice(0, 12)}-`);
}

/** Returns the running broker that `merkle demo` started for this home, if any. */
export async function findDemoBroker(home: string): Promise<RunningBroker | undefined> {
  const prefix = toDemoHomePrefix(home);
  const names = await readdir(dirname(prefix)).catch(() => []);
  for (const name of names.filter((each) => each.startsWith(basename(prefix)))) {
    const running = await findRunningBroker(join(dirname(prefix), name));
    if (running) return running;
  }
  return undefined;
}
