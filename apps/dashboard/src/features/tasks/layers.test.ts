import type { Task } from "@merkle/wire";
import { expect, it } from "vitest";
import { toLayers } from "./layers";

const task = (number: number, blocked_by: number[] = []) => ({ task: number, blocked_by }) as unknown as Task;

it("[DASH-160] a task is drawn right of all that it waits for, and one without any such tie is not drawn", () => {
  const placed = toLayers([task(1), task(2, [1]), task(3, [1, 2]), task(4), task(5, [1]), task(6, [99])]);
  expect(placed.map(({ task: { task: number }, column, row }) => [number, column, row])).toEqual([
    [1, 0, 0],
    [2, 1, 0],
    [3, 2, 0],
    [5, 1, 1],
  ]);
});
