/**
 * `npm test -- feed`: everything that must hold before a change is taken. Installs and builds what is missing, checks form and
 * types beside the tests, and runs all tests but the long ones; with MERKLE_TESTS=all those too. With words, it runs every test
 * whose path contains one of them, and nothing that these do not need. The last line counts them, the one before says
 * which were left out, and why.
 */
import { spawn } from "node:child_process";
import { alone, began, build, clearLine, compile, elapsed, install, programs, root, step } from "./steps.mjs";

const args = process.argv.slice(2);
/** Options such as `--sequence.seed=7` choose no tests. */
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

/** A step that fails counts as one failure, and does not keep the others from being tried. */
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
  // Nothing failed, and still it was no success: vitest itself could not run, or found no test.
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
    // A terminal sends Ctrl+C to both: vitest stops what runs, and its counts are still shown.
    process.on("SIGINT", () => undefined);
    for (const signal of ["SIGTERM", "SIGHUP"]) process.once(signal, () => child.kill(signal));
  });
}

/** `418 left out: 227 long (npm run test:exhaustive), 156 need Chromium (apt-get install chromium)` */
function describeLeftOut(reasons) {
  const counts = new Map();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const parts = [...counts]
    .sort(([, one], [, other]) => other - one)
    .map(([reason, count]) => `${count} ${reason}`);
  return `${reasons.length} left out: ${parts.join(", ")}`;
}
