import type { Task, TaskState } from "@merkle/wire";
import { describe, expect, it } from "vitest";
import { boardColumns, planMove } from "./moves";

const task = (state: TaskState, more: Partial<Task> = {}) => ({
  ...{ state, waits_for: state === "blocked" ? [3, 4] : [], assignee: null, mine: false },
  ...more,
});
const ana = { name: "Ana", isGuest: false };

describe("[DASH-383] moves between the columns of the board", () => {
  it("allows exactly the moves that an operation makes", () => {
    const allowed = boardColumns.flatMap((from) =>
      boardColumns.flatMap((to) => {
        const move = planMove(task(from), to, ana);
        return move && "operation" in move ? [`${from} ${move.operation} ${to}`] : [];
      }),
    );
    expect(allowed).toEqual([
      "open claim_task claimed",
      "open finish_task done",
      "claimed release_task open",
      "claimed finish_task done",
      "in_review release_task open",
      "in_review finish_task done",
    ]);
  });

  it("says why another move is refused", () => {
    expect(planMove(task("open"), "open", ana)).toBeNull();
    expect(planMove(task("blocked"), "done", ana)).toEqual({
      refusal: expect.stringContaining("task 3, task 4"),
    });
    expect(planMove(task("done"), "open", ana)).toEqual({ refusal: expect.stringContaining("over") });
    const birchs = task("open", { assignee: "Birch" });
    expect(planMove(birchs, "claimed", ana)).toEqual({ refusal: expect.stringContaining("Only Birch") });
    expect(planMove(task("open", { assignee: "Ana" }), "claimed", ana)).toEqual({ operation: "claim_task" });
  });

  it("lets a guest claim tasks, and end only the guest's own claims", () => {
    const guest = { name: null, isGuest: true };
    expect(planMove(task("open"), "claimed", guest)).toEqual({ operation: "claim_task" });
    expect(planMove(task("claimed"), "done", guest)).toEqual({ refusal: expect.stringContaining("Guests") });
    expect(planMove(task("claimed", { mine: true }), "open", guest)).toEqual({ operation: "release_task" });
  });
});
