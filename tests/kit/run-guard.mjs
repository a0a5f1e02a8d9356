/**
 * `node run-guard.mjs <folder> <pid> <vitest folder>`: watches over the run of the tests whose vitest is process <pid>, and
 * which writes below <folder> only. On a line on stdin it prints, as JSON, what the run has left behind; when stdin closes
 * without one, the run was killed, and vitest could not remove its own folder. In both cases it then ends the processes of
 * the run and removes everything else, and nothing of anybody else's.
 *
 * Every process of a run has the folder's name, which no other run uses, in its environment, its arguments or its working
 * folder. Elsewhere than on Linux, processes cannot be asked for these, and only the folder is looked after.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";

const [, , folder, vitest, vitestFolder] = process.argv;
const marker = basename(folder);
/** A server that was asked to stop at once may take this long; afterwards it is killed. */
const patienceMs = 10_000;

// Ctrl+C and the end of a terminal reach the tests, which then end: that is what is waited for here.
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
  // Files are all in the folder of the run, which is removed whole.
  const leftovers = [...listProcesses().map(describeProcess), ...listMounts(), ...listUsers()];
  await remove();
  process.stdout.write(`${JSON.stringify(leftovers)}\n`, () => process.exit());
});

/** Processes that have just been ended take a moment to go. */
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

/** PostgreSQL stops at once on SIGQUIT, and removes the shared memory that it would leave when killed. */
async function endProcesses() {
  const deadline = Date.now() + patienceMs;
  for (let processes = listProcesses(); processes.length > 0; processes = listProcesses()) {
    for (const { pid, isServer } of processes) {
      const isPatient = isServer && Date.now() < deadline;
      signal(pid, isPatient ? "SIGQUIT" : "SIGKILL");
      // One that stands still would not hear of it.
      if (isPatient) signal(pid, "SIGCONT");
    }
    await delay(50);
  }
}

function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended by itself.
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

/** The TCP ports on which a process listens. */
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

/** Tests give the users that they create the name of the run as their comment. */
function listUsers() {
  return read("/etc/passwd")
    .split("\n")
    .map((line) => line.split(":"))
    .filter(([, , , , comment]) => comment === marker)
    .map(([name]) => `user ${name}`);
}

/** The shared memory of servers that were killed, by what they noted in their data (the seventh line of postmaster.pid). */
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
    // Processes end meanwhile, and some belong to others.
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
    // What cannot be removed has been named.
  }
}
