import type { Task } from "@merkle/wire";
import { describe, expect, it } from "vitest";
import { filterTasks, hasConditions, listAssignees, listLabels, type TaskFilter } from "./task-filter";

const task = (number: number, more: Partial<Task> = {}): Task =>
  ({
    ...{ task: number, title: `Task ${number}`, text: "", state: "open", labels: [], waits_for: [] },
    ...{ assignee: null, holder: null, mine: false, to_review: false, unanswered: false },
    handed_back_at: null,
    ...more,
  }) as unknown as Task;

const none: TaskFilter = { focus: null, label: null, assignee: null, text: "" };

describe("[DASH-384] filters of tasks", () => {
  const tasks = [
    task(1, { title: "Rotate tokens", labels: ["auth"], assignee: "Ana" }),
    task(2, { state: "claimed", holder: "Birch/oak", labels: ["auth", "docs"], mine: false }),
    task(3, { state: "blocked", waits_for: [4], assignee: "Anabel" }),
    task(4, { handed_back_at: "2026-01-01T00:00:00.000Z" }),
    task(5, { state: "in_review", holder: "Birch", unanswered: true, to_review: true }),
    task(6, { state: "blocked", waits_for: [3], assignee: "Ana/laptop" }),
  ];
  const find = (filter: Partial<TaskFilter>) =>
    filterTasks(tasks, { ...none, ...filter }, "Ana").map((each) => each.task);

  it("mine are tasks that the person holds, is to do, or reviews", () => {
    expect(find({ focus: "mine" })).toEqual([1, 5, 6]);
    expect(filterTasks(tasks, { ...none, focus: "mine" }, null).map((each) => each.task)).toEqual([5]);
  });

  it("stuck are tasks that were handed back or wait for an answer, and all that wait for them", () => {
    expect(find({ focus: "stuck" })).toEqual([3, 4, 5, 6]);
    expect(find({ focus: "ready" })).toEqual([1, 4]);
    const elsewhere = task(9, { state: "blocked", waits_for: [4], session_id: "other" });
    expect(filterTasks([...tasks, elsewhere], { ...none, focus: "stuck" }, null)).not.toContain(elsewhere);
  });

  it("all conditions must be met, and text is found in number, title, description and labels", () => {
    expect(find({ label: "auth" })).toEqual([1, 2]);
    expect(find({ label: "auth", assignee: "Birch/oak" })).toEqual([2]);
    expect(find({ text: "TOKENS rot" })).toEqual([1]);
    expect(find({ text: "docs" })).toEqual([2]);
    expect(find({})).toHaveLength(6);
    expect(hasConditions(none)).toBe(false);
    expect(hasConditions({ ...none, text: " x" })).toBe(true);
  });

  it("offers the labels, holders and assignees that occur", () => {
    expect(listLabels(tasks)).toEqual(["auth", "docs"]);
    expect(listAssignees(tasks)).toEqual(["Ana", "Ana/laptop", "Anabel", "Birch", "Birch/oak"]);
  });
});
