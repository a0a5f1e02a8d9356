import { expect, it, onTestFinished } from "vitest";
import { createLog } from "./log.js";
import { createRepeatedTasks } from "./repeated-tasks.js";

it("[OPS-2] a task is failing once its last three runs failed, and no more once a run succeeds", async () => {
  const logged: string[] = [];
  const tasks = createRepeatedTasks(createLog((line) => logged.push(line)));
  let isBroken = true;
  const work = async () => {
    if (isBroken) throw new Error("no answer");
  };
  for (const expected of [[], [], ["quotas"], ["quotas"]]) {
    await tasks.run("quotas", work);
    await tasks.run("alerts", async () => undefined);
    expect(tasks.failing).toEqual(expected);
  }
  expect(JSON.parse(logged.at(-1) ?? "")).toMatchObject({ task: "quotas", in_a_row: 4 });
  isBroken = false;
  await tasks.run("quotas", work);
  expect(tasks.failing).toEqual([]);
});

it("[OPS-2] a repeated task goes on after runs that failed, until it is stopped", async () => {
  const tasks = createRepeatedTasks(createLog(() => undefined));
  let runs = 0;
  const stop = tasks.repeat("quotas", 1, async () => {
    runs += 1;
    throw new Error("no answer");
  });
  onTestFinished(stop);
  await expect.poll(() => tasks.failing).toEqual(["quotas"]);
  await expect.poll(() => runs).toBeGreaterThan(4);
});
