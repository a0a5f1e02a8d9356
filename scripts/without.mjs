/**
 * `node scripts/without.mjs tasks timeline`: checks that features can be left out. In a copy of this checkout it
 * deletes their folders, pages, documents and entries in lists, regenerates what is generated, checks types and floors,
 * runs the core's tests and starts the broker. Features that depend on them are left out as well.
 *
 * `--some 3` tries three features, chosen by the hash of the commit. `--all` tries each in turn. `--core` leaves out
 * all removable features at once. `--types` skips the tests and the broker.
 */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { buildSync } from "esbuild";
import { needsOf, packages, root } from "./imports.mjs";
import { programs } from "./steps.mjs";

/** Features that every build needs, each with the reason. */
const inseparable = {
  seal: "Every conclusion is sealed (SES-9), and its reply and event contain the signed head.",
};

/** The quick tests of the core: those next to its code, and some of its operations over each transport. */
const coreTests = [
  "packages/wire/src/(core|feed|identity|text)/",
  "apps/broker/src/(core|document|feed|identity|sessions|text)/",
  "apps/cli/src/(core|document|feed|sessions|text)/",
  "apps/dashboard/src/(core|document|feed|sessions|text)/",
  "tests/transports/(document|feed|roster|waits)\\.",
].map((pattern) => new RegExp(`^${pattern}`));

/** Tests next to the core's code that check parts added by features. */
const testsOfFeatures = new Set([
  "apps/broker/src/core/next-operations.test.ts",
  "apps/dashboard/src/feed/store/feed-rows.test.ts",
]);

/** Folders to leave out of the copy: generated, downloaded, or Git's own. */
const notCopied = new Set([".git", ".next", "bench-results", "dist", "node_modules", "out"]);

const features = [...new Set(packages.flatMap(listFeatures))].sort();
const removable = features.filter((name) => findKept([name]) === undefined);

const options = new Set(process.argv.slice(2).filter((arg) => arg.startsWith("--")));
const names = process.argv.slice(2).filter((arg) => !arg.startsWith("--"));
const failed = [];

for (const name of features.filter((each) => !removable.includes(each)))
  process.stdout.write(`not tried: ${name}, since ${findKept([name])} must stay\n`);
for (const group of chooseGroups()) {
  const began = Date.now();
  const problem = await findProblem(group);
  const result = problem ?? "can be left out";
  const seconds = Math.round((Date.now() - began) / 1000);
  process.stdout.write(`${group.join(", ")}: ${result} (${seconds} s)\n`);
  if (problem) failed.push(group);
}
process.exitCode = failed.length === 0 ? 0 : 1;

/** Returns the groups of features that are left out together. */
function chooseGroups() {
  if (options.has("--core")) return [removable];
  if (options.has("--all")) return listSets().map((name) => [name]);
  if (options.has("--some")) return chooseSome(Number(names[0])).map((name) => [name]);
  if (names.length > 0 && names.every((name) => features.includes(name))) return [names];
  process.stderr.write(
    `Name features to leave out, or --some <number>, --all or --core. Features: ${features.join(", ")}.\n`,
  );
  process.exit(2);
}

/**
 * Returns the features that can be left out. If several features can only be left out together, returns one of them.
 */
function listSets() {
  const bySet = new Map(removable.map((name) => [addDependents([name]).sort().join(), name]));
  return [...bySet.values()];
}

/** Chooses different features for each commit, but the same features when a commit is tried again. */
function chooseSome(count) {
  const commit = readCommit();
  const rank = (name) => createHash("sha256").update(`${commit} ${name}`).digest("hex");
  return [...removable].sort((one, other) => (rank(one) < rank(other) ? -1 : 1)).slice(0, count);
}

/** Returns the hash of the commit. Empty in a copy of the sources without a `.git` folder. */
function readCommit() {
  // In a container the files can belong to another user.
  const args = ["-c", "safe.directory=*", "rev-parse", "HEAD"];
  const { stdout } = spawnSync("git", args, { cwd: root, encoding: "utf8" });
  return (stdout ?? "").trim();
}

/** Returns why features cannot be left out, or undefined if they can. */
async function findProblem(named) {
  const kept = findKept(named);
  if (kept) return `${kept} must stay. ${inseparable[kept]}`;
  const left = addDependents(named);
  const others = left.filter((name) => !named.includes(name));
  if (others.length > 0) process.stdout.write(`also without ${others.join(", ")}, which need it\n`);
  const copy = mkdtempSync(join(tmpdir(), "merkle-without-"));
  try {
    copyCheckout(copy);
    for (const name of left) leaveOut(copy, name);
    await tryOut(copy);
    return undefined;
  } catch (error) {
    // The message of a failed command repeats all its arguments.
    return `failed. ${error.message.slice(0, 200)}`;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** @throws Error that names the step that failed */
async function tryOut(copy) {
  const run = (...args) =>
    execFileSync(process.execPath, args, { cwd: copy, stdio: ["ignore", "inherit", "inherit"] });
  run("--import", "tsx", "--conditions=merkle-source", "apps/cli/scripts/describe-commands.mjs");
  run(programs.tsc, "-p", writeConfig(copy));
  run(programs.tsc, "-p", "apps/dashboard/tsconfig.check.json");
  run("scripts/check-floors.mjs");
  if (options.has("--types")) return;
  compile(copy);
  run(programs.vitest, "run", "--reporter=dot", "--tagsFilter=!long && !chromium", ...listCoreTests(copy));
  await startBroker(copy);
}

function listFeatures(folder) {
  const place = join(root, folder, "src/features");
  return existsSync(place) ? readdirSync(place) : [];
}

/** Returns a feature that would have to be left out together with the named features, but cannot be. */
function findKept(named) {
  return addDependents(named).find((name) => name in inseparable);
}

/** Returns the named features, and the features in any package that depend on them. */
function addDependents(named) {
  const left = new Set(named);
  for (const name of left) {
    for (const folder of packages) {
      for (const each of listFeatures(folder)) {
        if (needsOf(`${folder}/src/features/${each}`).includes(name)) left.add(each);
      }
    }
  }
  return [...left];
}

/** Copies the sources, and links the installed packages. Workspaces link to the copy. */
function copyCheckout(copy) {
  cpSync(root, copy, {
    recursive: true,
    filter: (path) => !notCopied.has(basename(path)) && !path.endsWith(".tsbuildinfo"),
  });
  for (const folder of ["", ...packages])
    linkPackages(join(root, folder, "node_modules"), join(copy, folder, "node_modules"));
  mkdirSync(join(copy, "node_modules/@merkle"), { recursive: true });
  for (const folder of packages)
    symlinkSync(join(copy, folder), join(copy, "node_modules/@merkle", folder.split("/")[1]));
}

function linkPackages(from, to) {
  if (!existsSync(from)) return;
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) if (name !== "@merkle") symlinkSync(join(from, name), join(to, name));
}

function leaveOut(copy, name) {
  const stubs = packages.flatMap((folder) => readStubs(join(copy, folder, "src/features", name)));
  for (const stub of stubs) rmSync(join(copy, "apps/dashboard/src/app", stub));
  for (const folder of packages)
    rmSync(join(copy, folder, "src/features", name), { recursive: true, force: true });
  rmSync(join(copy, "docs/features", `${name}.md`), { force: true });
  for (const list of packages.flatMap((folder) => listLists(join(copy, folder, "src")))) {
    writeFileSync(list, removeLines(readFileSync(list, "utf8"), name));
  }
}

/**
 * Returns the pages in the dashboard's `app` folder that belong to a feature, as listed in the feature's entry file.
 */
function readStubs(folder) {
  const entry = ["feature.ts", "feature.tsx"].map((name) => join(folder, name)).find(existsSync);
  const [, list = ""] = /\bstubs = \[([^;]*)\];/.exec(entry ? readFileSync(entry, "utf8") : "") ?? [];
  return [...list.matchAll(/"([^"]+)"/g)].map(([, path]) => path);
}

/** Lists the files directly in `src`. Only these files name features. */
function listLists(folder) {
  return readdirSync(folder)
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name));
}

/** Removes the imports from a feature, and the lines that use the imported names. */
function removeLines(text, name) {
  const from = `(?:\\./|@/)features/${name}/[^"]*`;
  const statement = new RegExp(`^(?:import|export) (?:type )?([^;"]*?) from "${from}";\\n`, "gm");
  const imported = [...text.matchAll(statement)].flatMap(([, clause]) =>
    [...clause.matchAll(/(\w+)(?=\s*(?:,|\}|$))/g)].map(([word]) => word),
  );
  const uses =
    imported.length > 0
      ? new RegExp(`^\\s+(?:\\.\\.\\.|\\| |& )?(?:${imported.join("|")})(?:\\.\\w+)?[,;]?\\n`, "gm")
      : /(?!)/g;
  const lazy = new RegExp(`^\\s+(?:\\w+|"[\\w-]+"): \\(\\) => import\\("${from}"\\),\\n`, "gm");
  return text.replace(statement, "").replace(uses, "").replace(lazy, "");
}

/**
 * Writes a configuration that checks the types of all packages for Node in one pass, without the tests. Returns its
 * name.
 */
function writeConfig(copy) {
  const name = "tsconfig.without.json";
  const config = {
    extends: "./tsconfig.test.json",
    include: ["packages/*/src", "apps/broker/src", "apps/cli/src"],
    exclude: ["**/*.test.ts", "**/test-*", "**/*-kit"],
  };
  writeFileSync(join(copy, name), JSON.stringify(config));
  return name;
}

/** Compiles the packages without checking types again. The broker's threads and the program run compiled code. */
function compile(copy) {
  for (const folder of packages.filter((each) => existsSync(join(copy, each, "tsconfig.json")))) {
    if (folder === "apps/dashboard") continue;
    const source = join(copy, folder, "src");
    const entryPoints = readdirSync(source, { recursive: true })
      .filter((path) => /(?<!\.test|\.d)\.ts$/.test(path))
      .map((path) => join(source, path));
    buildSync({
      entryPoints,
      outbase: source,
      outdir: join(copy, folder, "dist"),
      format: "esm",
      target: "es2023",
    });
  }
}

function listCoreTests(copy) {
  const listed = ["packages", "apps", "tests"].flatMap((folder) =>
    readdirSync(join(copy, folder), { recursive: true }).map((path) => `${folder}/${path}`),
  );
  return listed.filter(
    (path) =>
      path.endsWith(".test.ts") &&
      !testsOfFeatures.has(path) &&
      !path.includes("node_modules") &&
      coreTests.some((pattern) => pattern.test(path)),
  );
}

/** Starts the broker on a separate database, and waits until it is healthy. */
async function startBroker(copy) {
  const port = await findFreePort();
  const env = { ...process.env, MERKLE_HOME: join(copy, "home"), MERKLE_URL: "" };
  const broker = spawn(process.execPath, ["apps/cli/bin/merkle.mjs", "up", "--port", String(port)], {
    cwd: copy,
    env,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const ended = new Promise((resolve) => broker.on("exit", resolve));
  try {
    await untilHealthy(`http://127.0.0.1:${port}/health`, ended);
  } finally {
    broker.kill();
    await ended;
  }
}

async function untilHealthy(url, ended) {
  let hasEnded = false;
  ended.then(() => {
    hasEnded = true;
  });
  while (!hasEnded) {
    const isHealthy = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isHealthy) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`merkle up ended with ${await ended}`);
}

function findFreePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
