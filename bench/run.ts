import { parseArgs } from "node:util";
import { figures, type Round, toResult } from "./figures.js";
import { measureRound } from "./measure-round.js";
import { openPlaces } from "./places.js";
import { describeMachine, printReport, writeJson } from "./report.js";
import { openStage } from "./stage.js";

const { values: flags } = parseArgs({
  options: { quick: { type: "boolean" }, profile: { type: "string" }, rounds: { type: "string" } },
});

/** How long each measurement takes, and how often all are repeated. */
const pace = flags.quick
  ? { rounds: 2, warmUpMs: 150, measureMs: 500 }
  : { rounds: 5, warmUpMs: 300, measureMs: 1_000 };
const rounds = Number(flags.rounds ?? pace.rounds);

const stage = await openStage(flags.profile ? ["--cpu-prof", "--cpu-prof-dir", flags.profile] : []);
try {
  const places = await openPlaces(stage.url);
  // Thrown away: the first round meets code that is not compiled yet, and a database without statistics.
  await measureRound(stage, places, { warmUpMs: 50, measureMs: 150 });
  const measured: Round[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    console.error(`round ${round} of ${rounds}`);
    measured.push(await measureRound(stage, places, pace));
  }
  const machine = describeMachine(stage.postgresVersion);
  const results = figures.map((figure) => toResult(figure, measured));
  printReport(machine, results, measured);
  console.log(`\nAll of it: ${await writeJson(machine, results, measured)}`);
} finally {
  await stage.stop();
}
