import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it, onTestFinished, vi } from "vitest";
import { forEachYielding } from "./yielding-for-each.js";

it("[GUARD-16] what is done to many is done in turns, between which others have theirs", async () => {
  let now = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
  onTestFinished(() => clock.mockRestore());
  const many = new Set([1, 2, 3, 4, 5, 6]);
  const done: number[] = [];
  const all = forEachYielding(many, (each) => {
    done.push(each);
    now += 1;
  });
  expect(done).toEqual([1, 2]);
  many.delete(4);
  many.add(7);
  await nextTurn();
  expect(done).toEqual([1, 2, 3, 5]);
  await all;
  expect(done).toEqual([1, 2, 3, 5, 6, 7]);
});
