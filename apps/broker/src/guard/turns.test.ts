import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { createTurns, type TurnsOptions } from "./turns.js";

function startTurns(options: TurnsOptions = {}) {
  const turns = createTurns(options);
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
  const { turns } = startTurns({ turnMs: 60_000 });
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

it("[GUARD-18] an address that has had its share waits until it has one again; others do not", async () => {
  // Each piece takes all that there is: the second one of an address has to wait for about a second.
  const { done, take } = startTurns({ turnMs: 60_000, share: { of: "address", per_second: 1, burst: 1 } });
  for (const name of ["a1", "a2"]) take("a", name);
  await nextTurn();
  take("b", "b1");
  for (let turn = 0; turn < 20; turn += 1) await nextTurn();
  expect(done).toEqual(["a1", "b1"]);
  await expect.poll(() => done).toEqual(["a1", "b1", "a2"]);
});

it("[GUARD-18] a piece takes no more of a share than may be had at once, however long it was held up", async () => {
  const { turns, done, take } = startTurns({ share: { of: "address", per_second: 10, burst: 1 } });
  // Counted as it is, the next one would have to wait for 40 s.
  turns.take("a", () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400));
  take("a", "a2");
  await expect.poll(() => done, { timeout: 20_000 }).toEqual(["a2"]);
});

it("[GUARD-20] all addresses have one share together where it is so told, and it is shared out in turns", async () => {
  const { done, take } = startTurns({ turnMs: 60_000, share: { of: "all", per_second: 100, burst: 1 } });
  for (const name of ["a1", "a2", "a3"]) take("a", name);
  for (const name of ["b1", "b2"]) take("b", name);
  expect(done).toEqual(["a1"]);
  await expect.poll(() => done).toEqual(["a1", "a2", "b1", "a3", "b2"]);
});

it("[GUARD-20] a piece takes as much of a share as is to be reckoned with, however little its turn takes", async () => {
  const share = { of: "all", per_second: 10, burst: 2, pieceMin: 1 } as const;
  const { turns } = startTurns({ turnMs: 60_000, share });
  const done: string[] = [];
  for (const name of ["a1", "a2", "a3"]) turns.take("a", () => done.push(name));
  for (let turn = 0; turn < 20; turn += 1) await nextTurn();
  expect(done).toEqual(["a1", "a2"]);
  await expect.poll(() => done).toEqual(["a1", "a2", "a3"]);
});

it("[GUARD-18] does what waits when it is stopped, and at once what comes then", async () => {
  const { turns, done, take } = startTurns({ share: { of: "all", per_second: 1, burst: 1 } });
  for (const name of ["a1", "a2", "a3"]) take("a", name);
  expect(done).toEqual(["a1"]);
  turns.stop();
  take("a", "a4");
  expect(done).toEqual(["a1", "a2", "a3", "a4"]);
});
