import { expect, it } from "vitest";
import type { ReaderEvent, StoredRow } from "../../faults/checker.js";
import { checkNodesRun, type NodesProblem, type NodesRun } from "./checker.js";

const session = "s1";
type Mutable<Of> = { -readonly [Key in keyof Of]: Of[Key] };

const message = (sequence: number, text = `text ${sequence}`): ReaderEvent => ({
  type: "message",
  sequence,
  text,
});
const messages = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => message(from + index));

function goodRun(): Mutable<NodesRun> {
  const database = Array.from({ length: 9 }, (_, index): StoredRow => {
    const sequence = index + 1;
    return { session, sequence, key: `key ${sequence}`, text: `text ${sequence}` };
  });
  return {
    database,
    acked: database.map(({ sequence, text }) => ({ session, key: `key ${sequence}`, sequence, text })),
    readers: [reading([{ type: "resumed", cursor: 0 }, ...messages(1, 9)])],
    claims: [
      { session, task: 1, team: "Aspen" },
      // A team that holds a task may claim it again.
      { session, task: 1, team: "Aspen" },
      { session, task: 2, team: "Birch" },
      { session: "s2", task: 1, team: "Birch" },
    ],
    uses: [
      { session, afterMs: 900, accepted: true },
      { session, afterMs: 60_000, accepted: false },
    ],
    wakes: [
      { session, sequence: 3, bus: "up", tookMs: 40 },
      { session, sequence: 4, bus: "down", tookMs: 5_200 },
    ],
  };
}

function reading(events: readonly ReaderEvent[]): NodesRun["readers"][number] {
  return { reader: "reader", session, promise: "exactly_once", events };
}

const read = (...sequences: number[]) => [
  reading([{ type: "resumed", cursor: 0 }, ...sequences.map((each) => message(each))]),
];
const without = (sequence: number) => goodRun().database.filter((row) => row.sequence !== sequence);
const changed = (sequence: number, change: Partial<StoredRow>) =>
  goodRun().database.map((row) => (row.sequence === sequence ? { ...row, ...change } : row));

/** Defects that several nodes could cause, and the kind of problem that the checker must report for each. */
const defects: readonly [string, NodesProblem["kind"], Partial<NodesRun>][] = [
  ["an acked message is not stored", "lost", { database: without(9) }],
  ["a reader is not given the end", "lost", { readers: read(1, 2, 3, 4, 5, 6, 7, 8) }],
  ["a number was never given out", "gap", { database: without(5) }],
  ["a reader is not given one in between", "skipped", { readers: read(1, 2, 3, 5, 6, 7, 8, 9) }],
  ["a reader is given one twice", "repeated", { readers: read(1, 2, 3, 3, 4, 5, 6, 7, 8, 9) }],
  ["a reader is given two the wrong way round", "reordered", { readers: read(1, 3, 2, 4, 5, 6, 7, 8, 9) }],
  ["a post is stored twice", "duplicate", { database: changed(5, { key: "key 4" }) }],
  [
    "a number is given twice",
    "duplicate",
    { database: [...goodRun().database.slice(0, 4), ...goodRun().database.slice(3)] },
  ],
  [
    "one key is answered two numbers",
    "duplicate",
    { acked: [...goodRun().acked, { session, key: "key 3", sequence: 8, text: "text 3" }] },
  ],
  [
    "one number is answered to two keys",
    "duplicate",
    { acked: [...goodRun().acked, { session, key: "key 10", sequence: 9, text: "text 9" }] },
  ],
  ["a text is stored otherwise", "altered", { database: changed(5, { text: "another" }) }],
  [
    "a reader is given what nobody posted",
    "invented",
    { readers: [reading([{ type: "resumed", cursor: 0 }, ...messages(1, 10)])] },
  ],
  [
    "two nodes give one task to two teams",
    "double lease",
    { claims: [...goodRun().claims, { session, task: 2, team: "Cedar" }] },
  ],
  [
    "a replaced credential opens a node",
    "stale credential",
    { uses: [{ session, afterMs: 7_000, accepted: true }] },
  ],
  ["a wait is never woken", "lost wake", { wakes: [{ session, sequence: 3, bus: "up", tookMs: null }] }],
  [
    "a wait is woken by a sweep although the bus is up",
    "lost wake",
    { wakes: [{ session, sequence: 3, bus: "up", tookMs: 5_000 }] },
  ],
];

it("the checker of campaigns over nodes finds nothing wrong with a good run", () => {
  expect(checkNodesRun(goodRun())).toEqual([]);
});

it.each(defects)("it turns red when %s: %s", (_what, kind, defect) => {
  expect(checkNodesRun({ ...goodRun(), ...defect }).map((problem) => problem.kind)).toContain(kind);
});
