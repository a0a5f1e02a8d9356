import { expect, it } from "vitest";
import { createRandom } from "../../faults/random.js";
import { runKills, type Victim } from "./campaign.js";
import { type PointName, points } from "./points.js";

const rounds = Number(process.env["MERKLE_ROUNDS"] ?? 3);
const seed = Number(process.env["MERKLE_SEED"] ?? Date.now() % 1_000_000);
const random = createRandom(seed);
// The cast is safe: the object's only keys are the points' names.
const names = Object.keys(points) as PointName[];
const victims: readonly Victim[] = ["broker", "runner", "broker of a runner"];

for (const victim of victims) {
  it(
    `[RUNNER-24] kill -9 of the ${victim} at every point, ${rounds} times, shuffled: each job ends once`,
    async ({ onTestFinished }) => {
      const order = Array.from({ length: rounds }, () => random.shuffle(names)).flat();
      const report = await runKills(victim, order, onTestFinished);
      process.stdout.write(`${JSON.stringify({ seed, victim, ...report })}\n`);
      expect(report.problems, `seed ${seed}`).toEqual([]);
    },
    rounds * names.length * 60_000,
  );
}
