import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { createTurns } from "./turns.js";

function startTurns(turnMs?: number) {
  const turns = createTurns(turnMs);
  onTestFinished(turns.stop);
  const done: string[] = [];
  /** A piece of work after which its turn is over. */
  const take = (address: string, name: string) =>
    turns.take(address, () => {
      done.push(name);
      const until = performance.now() + 5;
      while (performance.now() < until);
    });
  return { turns, done, take };
}

it("[GUARD-18] does at once what there is time for", () => {
  const { turns } = startTurns(60_000);
  const done: string[] = [];
  turns.take("a", () => done.push("first"));
  turns.take("b", () => done.push("second"));
  expect(done).toEqual(["first", "second"]);
});

it("[GUARD-18] what a turn has no time for waits, and is done by address in turns, a piece each, in the order of each", async () => {
  const { done, take } = startTurns();
  for (const name of ["a1", "a2", "a3", "a4"]) take("a", name);
  take("b", "b1");
  expect(done).toEqual(["a1"]);
  await nextTurn();
  // Whoever comes later waits behind no more than one piece of each that waited before.
  take("c", "c1");
  take("b", "b2");
  while (done.length < 7) await nextTurn();
  expect(done).toEqual(["a1", "a2", "b1", "a3", "c1", "b2", "a4"]);
});

it("[GUARD-18] other things are done between two turns", async () => {
  const { done, take } = startTurns();
  for (const name of ["a1", "a2", "a3"]) take("a", name);
  setTimeout(() => done.push("a timer"), 0);
  while (done.length < 4) await nextTurn();
  expect(done.at(-1)).not.toBe("a timer");
});

it("[GUARD-18] drops what waits when it is stopped", async () => {
  const { turns, done, take } = startTurns();
  take("a", "a1");
  take("a", "a2");
  turns.stop();
  await nextTurn();
  await nextTurn();
  expect(done).toEqual(["a1"]);
});
