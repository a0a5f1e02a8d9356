import { describe, expect, it } from "vitest";
import { findCriticalPath } from "./critical-path";

const task = (number: number, waits_for: number[] = []) => ({ task: number, waits_for });

describe("[DASH-385] the critical path", () => {
  it("is the longest chain of tasks that wait for each other, in the order of work", () => {
    const tasks = [task(1), task(2, [1]), task(3, [1]), task(4, [3]), task(5, [2, 4]), task(6, [5]), task(7)];
    expect(findCriticalPath(tasks)).toEqual([1, 3, 4, 5, 6]);
  });

  it("counts each task as one step, and takes the first of equally long chains", () => {
    expect(findCriticalPath([task(1), task(2), task(3, [2]), task(4, [1])])).toEqual([2, 3]);
  });

  it("ignores tasks that are not on the list, and is empty if no task waits", () => {
    expect(findCriticalPath([task(2, [1]), task(3)])).toEqual([]);
    expect(findCriticalPath([])).toEqual([]);
  });

  it("is found in a list of as many tasks as a page has", () => {
    const chain = Array.from({ length: 500 }, (_, index) => task(index + 1, index === 0 ? [] : [index]));
    expect(findCriticalPath(chain)).toHaveLength(500);
  });
});
