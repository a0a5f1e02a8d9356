/**
 * `npm test -- feed`: everything that must hold before a change is taken. Installs and builds what is missing, checks
 * form and types, and runs the tests whose path contains one of the words given, or all but the long ones; with MERKLE_TESTS=all
 * those too. Its last line counts them.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build, install, programs, run, step } from "./steps.mjs";

const failures = [];

await attempt(() => install());
await attempt(() => install("tools/conformance"));
await attempt(build);
await attempt(() => step("checking form", process.execPath, [programs.biome, "ci", "."]));
await attempt(() => step("checking floors", process.execPath, ["scripts/check-floors.mjs"]));
await attempt(() => step("checking types", process.execPath, [programs.tsc, "-p", "tsconfig.test.json"]));
const words = process.argv.slice(2);
const leavesOutLong = words.length === 0 && process.env.MERKLE_TESTS !== "all";
const tests = await runTests(leavesOutLong ? ["--tagsFilter=!long"] : words);

for (const failure of failures) process.stderr.write(`${failure}\n`);
const failed = tests.failed + failures.length;
process.stdout.write(`${tests.passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;

/** A step that fails counts as one failure, and does not keep the others from being tried. */
async function attempt(work) {
  try {
    await work();
  } catch (error) {
    failures.push(error.message);
  }
}

async function runTests(args) {
  const folder = mkdtempSync(join(tmpdir(), "merkle-test-"));
  const report = join(folder, "report.json");
  try {
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
    const exitCode = await run(process.execPath, [programs.vitest, "run", ...reporters, ...args]);
    const counts = count(JSON.parse(readFileSync(report, "utf8")));
    // Nothing failed, and still it was no success: an error outside every test, or no test at all.
    if (exitCode !== 0 && counts.failed === 0) failures.push(`the tests ended with exit code ${exitCode}`);
    return counts;
  } catch (error) {
    failures.push(`the tests could not be run: ${error.message}`);
    return { passed: 0, failed: 0 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A file that could not be loaded has no tests, and counts as one that failed. */
function count({ numPassedTests, numFailedTests, testResults }) {
  const unloaded = testResults.filter(
    (file) => file.status === "failed" && file.assertionResults.length === 0,
  );
  return { passed: numPassedTests, failed: numFailedTests + unloaded.length };
}
