/**
 * `node scripts/without.mjs tasks timeline` tests whether features can be left out. In a copy of this checkout, it deletes their
 * folders, pages, documents and lines in the lists, and regenerates the generated files. It then compiles everything, runs the
 * remaining tests and starts the broker. Features that need one of them are left out as well. `--some 3` chooses three by the
 * hash of the commit. `--all` tries each in turn.
 */
import { execFileSync, spawn } from "node:child_process";
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
import { join } from "node:path";
import { needsOf, packages, root } from "./imports.mjs";
import { programs } from "./steps.mjs";

/** The tests that need no feature: tests next to the code, and tests of the core's operations over each transport. */
const coreTests = [
  "packages",
  "apps",
  ...[
    "feed",
    "delivery.",
    "document",
    "history",
    "peers",
    "reading",
    "recipients",
    "roster",
    "sessions",
    "waits",
    "websocket",
  ].map((name) => `tests/transports/${name}`),
];

const known = [...new Set(packages.flatMap(featuresIn))].sort();

for (const group of chooseGroups(process.argv.slice(2))) await prove(group);

function chooseGroups([first, second, ...rest]) {
  if (first === "--all") return known.map((name) => [name]);
  if (first === "--some") return chooseSome(Number(second)).map((name) => [name]);
  const named = [first, second, ...rest].filter((each) => each !== undefined);
  const unknown = named.filter((name) => !known.includes(name));
  if (named.length > 0 && unknown.length === 0) return [named];
  process.stderr.write(
    `Name features to leave out, or --some <number>, or --all. Features: ${known.join(", ")}.\n`,
  );
  process.exit(2);
}

/** Chooses different features for each commit, but the same features whenever a commit is tried again. */
function chooseSome(count) {
  const commit = execFileSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8" }).trim();
  const rank = (name) => createHash("sha256").update(`${commit} ${name}`).digest("hex");
  return [...known].sort((one, other) => (rank(one) < rank(other) ? -1 : 1)).slice(0, count);
}

async function prove(named) {
  const left = withDependents(named);
  process.stdout.write(`without ${left.join(", ")}\n`);
  const copy = mkdtempSync(join(tmpdir(), "merkle-without-"));
  try {
    copyCheckout(copy);
    for (const name of left) leaveOut(copy, name);
    const run = (...args) =>
      execFileSync(process.execPath, args, { cwd: copy, stdio: ["ignore", "inherit", "inherit"] });
    run(programs.tsc, "-b");
    run(
      "node_modules/tsx/dist/cli.mjs",
      "--conditions=merkle-source",
      "apps/cli/scripts/describe-commands.mjs",
    );
    run(programs.tsc, "-b");
    run(programs.tsc, "-p", "apps/dashboard/tsconfig.check.json");
    run("scripts/check-floors.mjs");
    run(programs.vitest, "run", "--tagsFilter=!long && !chromium", ...coreTests);
    await startBroker(copy);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function featuresIn(folder) {
  const place = join(root, folder, "src/features");
  return existsSync(place) ? readdirSync(place) : [];
}

/** Returns these features and those that need them, in any package. */
function withDependents(named) {
  const left = new Set(named);
  for (const name of left) {
    for (const folder of packages) {
      for (const each of featuresIn(folder)) {
        if (needsOf(`${folder}/src/features/${each}`).includes(name)) left.add(each);
      }
    }
  }
  return [...left];
}

/** Copies the files in Git, and links the installed packages. Workspace packages link to the copy. */
function copyCheckout(copy) {
  const files = execFileSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8" })
    .split("\0")
    .filter(Boolean);
  for (const path of files) {
    if (existsSync(join(root, path))) cpSync(join(root, path), join(copy, path));
  }
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
  const stubs = packages.flatMap((folder) => stubsOf(join(copy, folder, "src/features", name)));
  for (const stub of stubs) rmSync(join(copy, "apps/dashboard/src/app", stub));
  for (const folder of packages)
    rmSync(join(copy, folder, "src/features", name), { recursive: true, force: true });
  rmSync(join(copy, "docs/features", `${name}.md`), { force: true });
  for (const list of packages.flatMap((folder) => listsIn(join(copy, folder, "src")))) {
    writeFileSync(list, withoutLines(readFileSync(list, "utf8"), name));
  }
}

/** Returns the files in the dashboard's `app` folder that only show this feature, as listed in its entry. */
function stubsOf(folder) {
  const entry = ["feature.ts", "feature.tsx"].map((name) => join(folder, name)).find(existsSync);
  const [, list = ""] = /\bstubs = \[([^;]*)\];/.exec(entry ? readFileSync(entry, "utf8") : "") ?? [];
  return [...list.matchAll(/"([^"]+)"/g)].map(([, path]) => path);
}

/** Returns the files directly in `src`. No other files name features. */
function listsIn(folder) {
  return readdirSync(folder)
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name));
}

/** Removes the statements that import from the feature from a list, and the lines that use the imported names. */
function withoutLines(text, name) {
  const from = `(?:\\./|@/)features/${name}/[^"]*`;
  const statement = new RegExp(`^(?:import|export) (?:type )?([^;"]*?) from "${from}";\\n`, "gm");
  const taken = [...text.matchAll(statement)].flatMap(([, names]) =>
    [...names.matchAll(/(\w+)(?=\s*(?:,|\}|$))/g)].map(([word]) => word),
  );
  const uses =
    taken.length > 0
      ? new RegExp(`^\\s+(?:\\.\\.\\.|\\| |& )?(?:${taken.join("|")})(?:\\.\\w+)?[,;]?\\n`, "gm")
      : /(?!)/g;
  const awaited = new RegExp(`^\\s+(?:\\w+|"[\\w-]+"): \\(\\) => import\\("${from}"\\),\\n`, "gm");
  return text.replace(statement, "").replace(uses, "").replace(awaited, "");
}

/** Starts the broker on a separate database, and checks its health. */
async function startBroker(copy) {
  const port = await freePort();
  const env = { ...process.env, MERKLE_HOME: join(copy, "home"), MERKLE_URL: "" };
  const broker = spawn(process.execPath, ["apps/cli/bin/merkle.mjs", "up", "--port", String(port)], {
    cwd: copy,
    env,
    stdio: "inherit",
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
  const gone = ended.then((code) => Promise.reject(new Error(`merkle up ended with ${code}`)));
  const asked = async () => {
    for (;;) {
      const isWell = await fetch(url).then(
        ({ ok }) => ok,
        () => false,
      );
      if (isWell) return;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  };
  await Promise.race([asked(), gone]);
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
