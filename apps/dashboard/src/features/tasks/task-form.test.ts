import { MerkleError, type Task } from "@merkle/wire";
import { describe, expect, it } from "vitest";
import { emptyDraft, findChanges, findRefusedFields, listProblems, toDraft } from "./task-draft";
import { matchTasks } from "./task-matches";

describe("[DASH-381] the form of a task", () => {
  it("names each field that would be refused, and what to enter", () => {
    expect(listProblems({ ...emptyDraft, title: "Rotate tokens", files: "src/**, docs/a.md" })).toEqual({});
    const draft = { ...emptyDraft, title: " ", assignee: "@humans", files: "src/a.ts:10-20" };
    expect(listProblems(draft)).toEqual({
      title: "Enter a title.",
      assignee: expect.stringContaining("a team or a peer"),
      files: expect.stringContaining("src/a.ts:10-20: claims are on whole files"),
    });
    const many = Array.from({ length: 101 }, (_, index) => `l${index}`).join(",");
    expect(listProblems({ ...emptyDraft, title: "a", labels: many }).labels).toMatch(/at most \d+ labels/);
    expect(listProblems({ ...emptyDraft, title: "a", labels: "x".repeat(300) }).labels).toMatch(
      /^Shorten x+/,
    );
  });

  it("sends only what was changed, so that another field cannot be refused", () => {
    const task = {
      ...{ title: "Rotate tokens", text: "", assignee: "Birch", blocked_by: [1], labels: ["auth"] },
      ...{ files: ["repo:src/**"], check: null },
    } as unknown as Task;
    const draft = toDraft(task);
    expect(draft).toMatchObject({ labels: "auth", files: "src/**", blockedBy: [1] });
    expect(findChanges(draft, draft)).toBeNull();
    expect(findChanges(draft, { ...draft, assignee: " ", blockedBy: [1, 2], labels: "auth, docs" })).toEqual({
      assignee: null,
      blocked_by: [1, 2],
      labels: ["auth", "docs"],
    });
  });

  it("assigns a refusal of the broker to its field", () => {
    const refuse = (details: object, message = "No.") =>
      findRefusedFields(new MerkleError("bad_request", message, details as never));
    expect(refuse({ unknown: [9] }, "There is no task 9.")).toEqual({ blockedBy: "There is no task 9." });
    expect(refuse({ to: "Oak", there: ["Atlas", "Birch"] })).toEqual({
      assignee: 'No single team or peer is called "Oak". Enter one of Atlas, Birch.',
    });
    expect(refuse({ fields: [{ field: "files.0", problem: "must not be claimed" }] })).toEqual({
      files: "Not accepted: must not be claimed.",
    });
    expect(refuse({ tasks_max: 10_000 })).toBeNull();
    expect(findRefusedFields(new Error("lost"))).toBeNull();
  });
});

it("[DASH-382] a task is found by the words of its title, or by its number, which comes first if it is exact", () => {
  const tasks = [
    { task: 1, title: "Rotate tokens" },
    { task: 12, title: "Test the rotation of 3 tokens" },
    { task: 3, title: "Announce it" },
  ];
  const find = (query: string) => matchTasks(tasks, query).map(({ task }) => task);
  expect(find("")).toEqual([1, 12, 3]);
  expect(find("TOKENS rot")).toEqual([1, 12]);
  expect(find("1")).toEqual([1, 12]);
  expect(find("#12")).toEqual([12]);
  expect(find("3")).toEqual([3, 12]);
  expect(find("nothing")).toEqual([]);
});
