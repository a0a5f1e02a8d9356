import type { Message } from "@merkle/wire";
import { expect, it } from "vitest";
import { findThreads } from "./threads";

function say(sequence: number, text: string, reply_to?: number): Message {
  return {
    id: `m${sequence}`,
    session_id: "s",
    sequence,
    type: "chat",
    posted_by_team_id: "t",
    from: { team: "Atlas", human: false },
    to: ["*"],
    priority: "next",
    content: { text },
    posted_at: "2026-05-02T14:00:00.000Z",
    ...(reply_to === undefined ? {} : { reply_to }),
  };
}

it("[DASH-343] talks that go on beside each other are told apart by the line that each began with", () => {
  const messages = [
    say(11, "**Keys**: who rotates?\n\nAnd when."),
    say(12, "Routes: five percent?"),
    say(13, "The vault", 11),
    say(14, "Yes", 12),
    say(15, "At two", 13),
    say(16, "Since ten minutes", 14),
    say(17, "A remark", 15),
    say(18, "of long ago", 3),
    say(19, "and more of it", 18),
    say(20, "lone question"),
    say(21, "lone answer", 20),
  ];
  expect(findThreads(messages)).toEqual([
    { root: 3, title: "#3", replies: 2, last: 19 },
    { root: 11, title: "Keys: who rotates?", replies: 3, last: 17 },
    { root: 12, title: "Routes: five percent?", replies: 2, last: 16 },
  ]);
});
