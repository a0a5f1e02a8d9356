/**
 * Guards a test run: `node run-guard.mjs <folder> <pid> <vitest folder>`. <pid> is the run's vitest process, and the
 * run writes only below <folder>. When the guard reads a line from stdin, it prints everything that the run has left
 * behind, as JSON. If stdin closes without a line, the run was killed, and the guard also removes vitest's own folder.
 * In both cases it then ends the run's processes and removes the leftovers, without touching anything else.
 *
 * Every process of a run has the folder's unique name in its environment, arguments or working folder. Systems other
 * than Linux do not show these, so there the guard handles only the folder.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";

const [, , folder, vitest, vitestFolder] = process.argv;
const marker = basename(folder);
/** Maximum time for a server to stop before it is killed. */
const patienceMs = 10_000;

// Ctrl+C or closing the terminal ends the tests. The guard ignores these signals, and waits for the tests to end.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => undefined);

const lines = createInterface({ input: process.stdin });
async function killed() {
  await remove();
  rmSync(vitestFolder, { recursive: true, force: true });
  process.exit();
}
lines.once("close", killed);
lines.once("line", async () => {
  lines.off("close", killed);
  await settle();
  // Files are not listed, because they are all in the run's folder, which is removed as a whole.
  const leftovers = [...listProcesses().map(describeProcess), ...listMounts(), ...listUsers()];
  await remove();
  process.stdout.write(`${JSON.stringify(leftovers)}\n`, () => process.exit());
});

/** Gives processes that are about to exit time to do so. */
async function settle() {
  const deadline = Date.now() + patienceMs;
  while (listProcesses().length > 0 && Date.now() < deadline) await delay(50);
}

async function remove() {
  await endProcesses();
  const segments = listSegments();
  for (const mount of listMounts()) tryRun("umount", ["--lazy", mount.slice(mount.indexOf("/"))]);
  for (const user of listUsers()) tryRun("userdel", ["--force", user.split(" ")[1]]);
  for (const segment of segments) tryRun("ipcrm", ["-m", segment]);
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

/**
 * On SIGQUIT, PostgreSQL stops immediately and removes its shared memory. If killed, it would leave the shared memory
 * behind.
 */
async function endProcesses() {
  const deadline = Date.now() + patienceMs;
  for (let processes = listProcesses(); processes.length > 0; processes = listProcesses()) {
    for (const { pid, isServer } of processes) {
      const isPatient = isServer && Date.now() < deadline;
      signal(pid, isPatient ? "SIGQUIT" : "SIGKILL");
      // A suspended process would not receive the signal.
      if (isPatient) signal(pid, "SIGCONT");
    }
    await delay(50);
  }
}

function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch {
    // The process has already exited.
  }
}

function listProcesses() {
  if (!existsSync("/proc/self/environ")) return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && name !== vitest && Number(name) !== process.pid)
    .map((name) => readProcess(Number(name)))
    .filter((each) => each?.isOfRun);
}

function readProcess(pid) {
  const at = `/proc/${pid}`;
  const args = read(`${at}/cmdline`);
  const texts = [args, read(`${at}/environ`), link(`${at}/cwd`)];
  return {
    pid,
    args: args.replaceAll("\0", " ").trim(),
    isOfRun: texts.some((text) => text.includes(marker)),
    isServer: basename(link(`${at}/exe`)).startsWith("postgres"),
  };
}

function describeProcess({ pid, args }) {
  const ports = listPorts(pid);
  const listening = ports.length > 0 ? `, listening on ${ports.join(", ")}` : "";
  return `process ${pid} (${args.slice(0, 160)})${listening}`;
}

/** Returns the TCP ports on which a process listens. */
function listPorts(pid) {
  const sockets = new Set(names(`/proc/${pid}/fd`).map((fd) => link(`/proc/${pid}/fd/${fd}`)));
  return ["tcp", "tcp6"]
    .flatMap((table) => read(`/proc/${pid}/net/${table}`).split("\n"))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode]) => state === "0A" && sockets.has(`socket:[${inode}]`))
    .map(([, local]) => Number.parseInt(local.split(":")[1], 16));
}

function listMounts() {
  return read("/proc/mounts")
    .split("\n")
    .map((line) => line.split(" ")[1] ?? "")
    .filter((path) => path.includes(`/${marker}/`))
    .map((path) => `mount ${path}`);
}

/** Lists the user accounts that tests created. Their comment is the name of the run. */
function listUsers() {
  return read("/etc/passwd")
    .split("\n")
    .map((line) => line.split(":"))
    .filter(([, , , , comment]) => comment === marker)
    .map(([name]) => `user ${name}`);
}

/**
 * Lists the shared memory segments that killed servers left behind. A server's segment is named in the seventh line of
 * its postmaster.pid.
 */
function listSegments() {
  const unused = new Set(
    read("/proc/sysvipc/shm")
      .split("\n")
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , , , , attached]) => attached === "0")
      .map(([, id]) => id),
  );
  return postmasterFiles(folder)
    .map((file) => read(file).split("\n")[6]?.trim().split(/\s+/)[1])
    .filter((id) => unused.has(id));
}

function postmasterFiles(below) {
  return readdirSync(below, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.name === "postmaster.pid")
    .map((entry) => join(entry.parentPath ?? dirname(entry.path), entry.name));
}

function read(path) {
  try {
    return readFileSync(path, "latin1");
  } catch {
    // The process may have exited, or may belong to another user.
    return "";
  }
}

function link(path) {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

function names(path) {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function tryRun(program, args) {
  try {
    execFileSync(program, args, { stdio: "ignore" });
  } catch {
    // Leftovers that cannot be removed have already been reported.
  }
}
