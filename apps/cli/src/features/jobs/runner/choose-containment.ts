import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { hasProc } from "../../../core/platform.js";
import type { Containment, Tools } from "./containment.js";
import { findOnPath } from "./find-on-path.js";
import { createMarking } from "./marking.js";
import { createNamespacing } from "./namespacing.js";

/**
 * Chooses the best containment that this machine allows (RUNNER-6). On Linux this is a PID namespace, which
 * no process can leave and which the kernel ends as a whole. Where namespaces are not available, processes
 * are tracked by group, environment mark and parent.
 */
export async function chooseContainment(requestedKind?: Containment["kind"]): Promise<Containment> {
  const tools = await findTools();
  if (requestedKind !== "marks" && hasProc()) {
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

/**
 * Returns whether a containment works here. Many systems and most containers forbid namespaces, and only a
 * trial run shows whether they do.
 */
async function works(containment: Containment): Promise<boolean> {
  const program = { path: "/bin/sh", args: ["-c", "test $(ls -d /proc/[0-9]* | wc -l) -lt 9"] };
  const { path, args } = containment.wrap({ ...program, processesMax: 64, timeoutMs: 5_000 });
  return promisify(execFile)(path, [...args], { timeout: 5_000 }).then(
    () => true,
    () => false,
  );
}
