import { execFile, spawn } from "node:child_process";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { PartReport, Result } from "./part.js";
import { median } from "./statistics.js";

const run = promisify(execFile);

/** The path is relative to bench/dist/, from which the compiled file runs. */
const checkout = fileURLToPath(new URL("../../", import.meta.url));

/** A figure for two versions, each as a median over the rounds. */
export interface ComparedFigure extends Pick<Result, "name" | "unit" | "limitName"> {
  readonly before: Median;
  readonly after: Median;
}

/**
 * `ratio` is the ratio to the limit, which was measured in the same minutes. On a shared machine the ratio is more
 * reliable than `value`.
 */
type Median = Pick<Result, "value" | "ratio">;

/**
 * Builds another commit in a temporary folder, with this checkout's bench. Measures the two commits alternately, so
 * that other load on the machine affects both.
 */
export async function compareWith(
  commit: string,
  options: { readonly only: readonly string[]; readonly quick: boolean; readonly rounds: number },
): Promise<readonly ComparedFigure[]> {
  const folder = await mkdtemp(join(tmpdir(), "merkle-compare-"));
  const other = join(folder, "checkout");
  try {
    await buildAt(commit, other);
    const before: Result[][] = [];
    const after: Result[][] = [];
    for (let round = 1; round <= options.rounds; round += 1) {
      console.error(`round ${round} of ${options.rounds}`);
      before.push(await measureIn(other, options));
      after.push(await measureIn(checkout, options));
    }
    return toFigures(before, after);
  } finally {
    await run("git", ["worktree", "remove", "--force", other], { cwd: checkout }).catch(() => undefined);
    await rm(folder, { recursive: true, force: true });
  }
}

async function buildAt(commit: string, other: string): Promise<void> {
  console.error(`building ${commit}`);
  await run("git", ["worktree", "add", "--detach", other, commit], { cwd: checkout });
  await run("npm", ["ci", "--no-audit", "--no-fund"], { cwd: other });
  await rm(join(other, "bench"), { recursive: true });
  await cp(join(checkout, "bench"), join(other, "bench"), {
    recursive: true,
    // The year's calls are not compared. They name every operation, so they fit only their own commit.
    filter: (path) => !["dist", "year"].some((name) => path.startsWith(join(checkout, "bench", name))),
  });
  const tsc = join(other, "node_modules", ".bin", "tsc");
  await run(tsc, ["-b"], { cwd: other });
  await run(tsc, ["-b", "bench"], { cwd: other });
}

function measureIn(
  root: string,
  { only, quick }: { readonly only: readonly string[]; readonly quick: boolean },
): Promise<Result[]> {
  const args = [join(root, "bench", "dist", "run.js"), "--json", "--rounds", "1"];
  for (const part of only) args.push("--only", part);
  if (quick) args.push("--quick");
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    child.once("error", reject);
    child.once("close", (code) => {
      if (code !== 0) return reject(new Error(`The bench in ${root} ended with code ${code}.`));
      const reports: PartReport[] = JSON.parse(output);
      resolve(reports.flatMap((report) => report.results));
    });
  });
}

function toFigures(before: readonly Result[][], after: readonly Result[][]): ComparedFigure[] {
  const [first = []] = after;
  return first.map(({ name, unit, limitName }) => ({
    name,
    unit,
    limitName,
    before: medianOf(before, { name, limitName }),
    after: medianOf(after, { name, limitName }),
  }));
}

function medianOf(
  rounds: readonly Result[][],
  { name, limitName }: Pick<Result, "name" | "limitName">,
): Median {
  const measured = rounds.flat().filter((each) => each.name === name && each.limitName === limitName);
  return {
    value: median(measured.map((each) => each.value)),
    ratio: median(measured.map((each) => each.ratio)),
  };
}

/** Formats one line per figure, followed by a line to quote in a commit message. */
export function describeComparison(commit: string, figures: readonly ComparedFigure[]): string {
  const number = (value: number) =>
    value >= 100 ? Math.round(value).toLocaleString("en") : value.toFixed(2);
  const lines = figures.map(
    ({ name, unit, limitName, before, after }) =>
      `${name} (${unit}): ${number(before.value)} → ${number(after.value)}; beside ${limitName} ${before.ratio.toFixed(2)} → ${after.ratio.toFixed(2)}`,
  );
  const quoted = figures.map(
    ({ name, limitName, before, after }) =>
      `${name} ${before.ratio.toFixed(2)} → ${after.ratio.toFixed(2)} × ${limitName}`,
  );
  return [...lines, "", `Against ${commit}, in turn: ${quoted.join("; ")}.`].join("\n");
}
