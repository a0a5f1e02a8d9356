import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { hasProc } from "../../../core/platform.js";
import type { Containment, Tools } from "./containment.js";
import { findOnPath } from "./find-on-path.js";
import { createMarking } from "./marking.js";
import { createNamespacing } from "./namespacing.js";

/**
 * The best containment that this machine allows: on Linux a PID namespace, which nothing gets out of and which the kernel
 * empties as a whole; where those are forbidden, and on other systems, process groups, marks in the environment and kinship
 * (RUNNER-6).
 */
export async function chooseContainment(wanted?: Containment["kind"]): Promise<Containment> {
  const tools = await findTools();
  if (wanted !== "marks" && hasProc()) {
    const namespacing = createNamespacing(tools);
    if (namespacing && (await works(namespacing))) return namespacing;
  }
  return createMarking(tools);
}

async function findTools(): Promise<Tools> {
  if (!hasProc()) {
    const [nice] = await Promise.all([findOnPath("nice")]);
    return { unshare: undefined, setpriv: undefined, prlimit: undefined, timeout: undefined, nice };
  }
  const [unshare, setpriv, prlimit, timeout, nice] = await Promise.all(
    ["unshare", "setpriv", "prlimit", "timeout", "nice"].map((name) => findOnPath(name)),
  );
  return { unshare, setpriv, prlimit, timeout, nice };
}

/** Many systems and most containers forbid namespaces; only trying shows it. */
async function works(containment: Containment): Promise<boolean> {
  const program = { path: "/bin/sh", args: ["-c", "test $(ls -d /proc/[0-9]* | wc -l) -lt 9"] };
  const { path, args } = containment.wrap({ ...program, processesMax: 64, timeoutMs: 5_000 });
  return promisify(execFile)(path, [...args], { timeout: 5_000 }).then(
    () => true,
    () => false,
  );
}
