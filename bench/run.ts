import { parseArgs } from "node:util";
import { compareWith, describeComparison } from "./compare.js";
import type { Pace, PartReport } from "./part.js";
import { longParts, parts } from "./parts.js";
import { describeMachine, formatTable, printReport, writeJson } from "./report.js";
import { openStage } from "./stage.js";

const { values: flags } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string", multiple: true },
    profile: { type: "string" },
    rounds: { type: "string" },
    /** Another commit, which is built and measured alternately with this checkout. */
    compare: { type: "string" },
    /** Prints the results as JSON, for programs. */
    json: { type: "boolean", default: false },
  },
});

const usual = parts.map((part) => part.name);
const known = [...usual, ...longParts.map((part) => part.name)];
const names = flags.only?.flatMap((text) => text.split(",")) ?? usual;
const unknown = names.find((name) => !known.includes(name));
if (unknown !== undefined) {
  console.error(`There is no part "${unknown}"; the parts are ${known.join(", ")}.`);
  process.exit(2);
}

const { quick, compare } = flags;
if (compare !== undefined) {
  const rounds = flags.rounds === undefined ? 3 : Number(flags.rounds);
  console.log(describeComparison(compare, await compareWith(compare, { only: names, quick, rounds })));
  process.exit();
}
const pace: Pace = quick
  ? { quick, warmUpMs: 150, measureMs: 500 }
  : { quick, warmUpMs: 300, measureMs: 1_000 };
const rounds = flags.rounds === undefined ? undefined : Number(flags.rounds);

const stage = await openStage(flags.profile ? ["--cpu-prof", "--cpu-prof-dir", flags.profile] : []);
try {
  const reports: PartReport[] = [];
  for (const part of [...parts, ...longParts]) {
    if (!names.includes(part.name)) continue;
    try {
      const report = await part.run(stage, pace, rounds);
      reports.push(report);
      // Prints each part immediately, in case a later part fails.
      console.error(formatTable([report]));
    } catch (error) {
      console.error(`${part.name} could not be measured:`, error);
      process.exitCode = 1;
    }
  }
  const machine = describeMachine(stage.postgresVersion);
  if (flags.json) {
    console.log(JSON.stringify(reports));
  } else {
    printReport(machine, reports);
    console.log(`\nAll of it: ${await writeJson(machine, reports)}`);
  }
} finally {
  await stage.stop();
}
