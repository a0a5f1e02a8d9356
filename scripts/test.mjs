/**
 * `npm test -- feed` runs everything that must pass before a change is merged. It installs and builds what is missing,
 * checks format and types in parallel with the tests, and runs all tests except the long tests. MERKLE_TESTS=all
 * includes the long tests. With words such as `feed`, it runs every test whose path contains one of the words, and only
 * the steps that these tests need.
 *
 * The last line of output contains the counts. The line before it lists the tests that were left out, with the reasons.
 */
import { spawn } from "node:child_process";
import { alone, began, build, clearLine, compile, elapsed, install, programs, root, step } from "./steps.mjs";

const args = process.argv.slice(2);
/** Options such as `--sequence.seed=7` do not select tests. */
const isWhole = args.every((arg) => arg.startsWith("--"));
const failures = [];

await alone(async () => {
  await attempt(() => install());
  await attempt(isWhole ? build : compile);
  if (isWhole) await attempt(() => install("tools/conformance"));
});
const [tests] = await Promise.all([runTests(), isWhole && check()]);
process.stderr.write(`${clearLine}${elapsed()}  done\n`);

for (const failure of failures) process.stderr.write(`${failure}\n`);
const failed = tests.failed + failures.length;
if (tests.leftOut.length > 0) process.stdout.write(`${describeLeftOut(tests.leftOut)}\n`);
process.stdout.write(`${tests.passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;

/** Runs a step. A failure is counted, and the other steps still run. */
async function attempt(work) {
  try {
    await work();
  } catch (error) {
    process.stderr.write(`${clearLine}${error.message}\n`);
    failures.push(error.message);
  }
}

async function check() {
  await attempt(() => step("checking form", process.execPath, [programs.biome, "ci", "."]));
  await attempt(() => step("checking floors", process.execPath, ["scripts/check-floors.mjs"]));
  await attempt(() => step("checking migrations", process.execPath, ["scripts/check-migrations.mjs"]));
  await attempt(() => step("checking words", process.execPath, ["scripts/check-words.mjs"]));
  await attempt(() => step("checking types", process.execPath, [programs.tsc, "-p", "tsconfig.test.json"]));
  const pages = "apps/dashboard/tsconfig.check.json";
  await attempt(() => step("checking types of the pages", process.execPath, [programs.tsc, "-p", pages]));
}

/** Runs vitest, whose reporter sends the counts. */
async function runTests() {
  const leavesOutLong = isWhole && process.env.MERKLE_TESTS !== "all";
  const choice = leavesOutLong ? ["--tagsFilter=!long", ...args] : args;
  const { exitCode, messages } = await runVitest([
    "run",
    "--reporter=./scripts/test-reporter.mjs",
    ...choice,
  ]);
  const counts = { passed: 0, failed: 0, leftOut: [] };
  for (const { leftovers = [], ...message } of messages) {
    Object.assign(counts, message);
    failures.push(...leftovers.map((each) => `the tests left behind: ${each}`));
  }
  // No test failed, but vitest itself could not run, or found no test.
  if (exitCode !== 0 && counts.failed + failures.length === 0)
    failures.push(`the tests ended with exit code ${exitCode}`);
  return counts;
}

function runVitest(args) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [programs.vitest, ...args], {
      cwd: root,
      env: { ...process.env, MERKLE_STEPS_BEGAN: String(began) },
      stdio: ["inherit", "inherit", "inherit", "ipc"],
    });
    const messages = [];
    child.on("message", (message) => messages.push(message));
    child.on("close", (code) => resolve({ exitCode: code ?? 1, messages }));
    // A terminal sends Ctrl+C to both processes. vitest stops its tests, and this process still shows the counts.
    process.on("SIGINT", () => undefined);
    for (const signal of ["SIGTERM", "SIGHUP"]) process.once(signal, () => child.kill(signal));
  });
}

/** Example: `418 left out: 227 long (npm run test:exhaustive), 156 need Chromium (apt-get install chromium)`. */
function describeLeftOut(reasons) {
  const counts = new Map();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const parts = [...counts]
    .sort(([, one], [, other]) => other - one)
    .map(([reason, count]) => `${count} ${reason}`);
  return `${reasons.length} left out: ${parts.join(", ")}`;
}
