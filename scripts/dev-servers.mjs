/** Compiles on each change, restarts the broker, and serves pages that reload automatically. Both servers listen on loopback. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { hasDashboard, programs, root } from "./steps.mjs";

const loopback = "127.0.0.1";
const pagesPort = hasDashboard() ? await findFreePort(Number(process.env.PORT ?? 3000)) : 0;
/**
 * `next dev` serves its pages on a separate port. The broker refuses requests from pages on unknown ports, so it gets
 * this list of addresses.
 */
const pages = [`localhost:${pagesPort}`, `${loopback}:${pagesPort}`];
const pagesUrl = `http://${pages[0]}`;

let ending = false;
const children = [];
// `tsc` is a script that waits for a native compiler and does not forward signals, so both run in a separate process group.
const compiler = start("tsc", [programs.tsc, "-b", "--watch", "--preserveWatchOutput"], { detached: true });
startBroker(process.argv.slice(2));

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, endAll);

/** Node watches the broker's files. When a file changes, Node lets the broker stop cleanly and then restarts it. */
function startBroker(flags) {
  const args = ["--watch", "--watch-preserve-output", "apps/cli/bin/merkle.mjs", "up", ...flags];
  const env = { MERKLE_ALLOWED_HOSTS: [process.env.MERKLE_ALLOWED_HOSTS, ...pages].filter(Boolean).join() };
  const broker = start("broker", args, { env, stdio: ["ignore", "pipe", "inherit"] });
  let hasPages = !hasDashboard();
  createInterface({ input: broker.stdout }).on("line", (line) => {
    process.stdout.write(`${hasDashboard() ? toPagesLink(line) : line}\n`);
    const url = findBrokerUrl(line);
    if (hasPages || url === undefined) return;
    hasPages = true;
    startPages(url);
  });
}

/** The pages forward requests to the address that the broker printed, however its port was set. */
function startPages(brokerUrl) {
  const args = [programs.next, "dev", "apps/dashboard", "--hostname", loopback, "--port", String(pagesPort)];
  start("dashboard", args, { env: { MERKLE_URL: brokerUrl, NEXT_TELEMETRY_DISABLED: "1" } });
}

function findBrokerUrl(line) {
  return /\sbroker\s+(https?:\/\/\S+)/.exec(line)?.[1];
}

/** The sign-in link verifies only pages at its own address, so it must point to the pages of `next dev`. */
function toPagesLink(line) {
  return line.replace(/https?:\/\/[^\s/]+(?=\/#verify=)/, pagesUrl);
}

function start(name, args, { env = {}, stdio = "inherit", detached = false } = {}) {
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio,
    env: { ...process.env, ...env },
    detached,
  });
  children.push(child);
  child.on("close", (code) => {
    if (!ending) process.stderr.write(`${name} ended\n`);
    if (code !== 0 && !ending) process.exitCode = 1;
    endAll();
  });
  return child;
}

/** Sends only one signal to each child, because a second signal would keep the broker from stopping cleanly. */
function endAll() {
  if (ending) return;
  ending = true;
  for (const child of children) {
    if (child === compiler && process.platform !== "win32") endGroup(child);
    else child.kill("SIGTERM");
  }
}

function endGroup({ pid }) {
  try {
    process.kill(-pid, "SIGTERM");
  } catch {
    // The compiler has already ended.
  }
}

/** Returns the first free port on this machine, starting with `port`. */
async function findFreePort(port) {
  const probe = createServer();
  const isFree = await new Promise((resolve) => {
    probe.once("error", () => resolve(false)).listen(port, loopback, () => resolve(true));
  });
  if (!isFree) return findFreePort(port + 1);
  probe.close();
  await once(probe, "close");
  return port;
}
