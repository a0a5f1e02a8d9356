import type { Message } from "@merkle/wire";
import { expect, it } from "vitest";
import { findAnswers, findRow, type RowOptions, toRows } from "./feed-rows";

const options: RowOptions = {
  unfolded: new Set(),
  foldUpTo: null,
  standaloneIds: new Set(),
  readUpTo: null,
  myTeamId: "me",
  toDay: (at) => at.slice(0, 10),
};

function make(sequence: number, fields: Partial<Message> = {}): Message {
  const message: Message = {
    id: `m${sequence}`,
    session_id: "s",
    sequence,
    type: "chat",
    posted_by_team_id: "other",
    from: { team: "Atlas", human: false },
    to: ["*"],
    priority: "next",
    content: { text: "hello" },
    posted_at: "2026-05-02T14:00:00.000Z",
  };
  return { ...message, ...fields };
}

const event = (sequence: number, name: string) => make(sequence, { type: "system", from: null, event: name });
const shape = (messages: Message[], changes: Partial<RowOptions> = {}) =>
  toRows(messages, { ...options, ...changes }).map((row) => row.messages.map(({ sequence }) => sequence));

it("[DASH-63] runs of joins, leaves and state fold into one row; what matters never does", () => {
  const messages = [
    event(1, "team_joined"),
    event(2, "state_changed"),
    event(3, "session_metadata_updated"),
    event(4, "team_left"),
    make(5),
    event(6, "team_joined"),
    event(7, "session_concluded"),
    event(8, "session_held"),
    event(9, "budget_spent"),
  ];
  expect(shape(messages)).toEqual([[1, 2], [3], [4], [5], [6], [7], [8], [9]]);
  expect(shape(messages, { unfolded: new Set(["m1", "m2"]) })[0]).toEqual([1]);
});

it("[DASH-63] a run does not reach over midnight, and each day but the first shown begins with its date", () => {
  const messages = [
    event(1, "team_joined"),
    { ...event(2, "team_left"), posted_at: "2026-05-03T00:00:00.000Z" },
    make(3, { posted_at: "2026-05-03T01:00:00.000Z" }),
  ];
  expect(toRows(messages, options).map(({ isFirstOfDay: beginsDay }) => beginsDay)).toEqual([
    false,
    true,
    false,
  ]);
});

it("[DASH-64] the first unread message is the first that somebody else said after what was read", () => {
  const messages = [make(4), event(5, "team_joined"), make(6, { posted_by_team_id: "me" }), make(7), make(8)];
  const rows = toRows(messages, { ...options, readUpTo: 4 });
  expect(
    rows.filter(({ isFirstUnread: beginsUnread }) => beginsUnread).map(({ first }) => first.sequence),
  ).toEqual([7]);
  expect(toRows(messages, options).some(({ isFirstUnread: beginsUnread }) => beginsUnread)).toBe(false);
});

it("[DASH-63] a message is found in the run that it is folded into", () => {
  const rows = toRows([make(1), event(2, "team_joined"), event(3, "team_left"), make(7)], options);
  expect([0, 1, 2, 3, 5, 7, 99].map((sequence) => findRow(rows, sequence))).toEqual([0, 0, 1, 1, 1, 2, 2]);
  expect(findRow([], 1)).toBe(-1);
});

it("[DASH-66] an answer is known by the ask that it settles; a plain reply settles nothing", () => {
  const answer = make(3, { reply_to: 1, content: { text: "vault", answer: "vault" } });
  const answers = findAnswers([make(1), make(2, { reply_to: 1 }), answer]);
  expect([...answers]).toEqual([[1, answer]]);
});

it("[DASH-342] what was said to an ask folds into its row, up to what was read; another ask and a decision stand for themselves", () => {
  const messages = [
    make(1, { content: { text: "Which key?", kind: "ask" } }),
    make(2),
    make(3, { reply_to: 1 }),
    make(4, { reply_to: 3 }),
    make(5, { reply_to: 3, content: { text: "Which vault?", kind: "ask" } }),
    make(6, { reply_to: 5 }),
    make(7, { reply_to: 1, content: { text: "The old one", kind: "decision" } }),
    make(8, { reply_to: 2 }),
    make(9, { reply_to: 1 }),
  ];
  const rows = toRows(messages, { ...options, foldUpTo: 8 });
  expect(
    rows.map(({ first, replies }) => [first.sequence, ...replies.map(({ sequence }) => sequence)]),
  ).toEqual([[1, 3, 4], [2], [5, 6], [7], [8], [9]]);
  expect(findRow(rows, 4)).toBe(0);
  expect(findRow(rows, 6)).toBe(2);
  expect(shape(messages)).toHaveLength(9);
});

it("[DASH-342] a reply that was read where its ask was not in sight stays where it stands", () => {
  const ask = make(1, { content: { text: "Which key?", kind: "ask" } });
  const standing = new Set<string>();
  const changes = { foldUpTo: 9, standing };
  shape([make(3, { reply_to: 1 })], changes);
  expect(shape([ask, make(2, { reply_to: 1 }), make(3, { reply_to: 1 })], changes)).toEqual([[1], [3]]);
});
