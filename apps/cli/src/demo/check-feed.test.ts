import { randomUUID } from "node:crypto";
import type { Message } from "@merkle/wire";
import { describe, expect, it } from "vitest";
import { FeedCheck } from "./check-feed.js";
import { type Expected, lines, rename } from "./story.js";

const feed: readonly Expected[] = [
  { event: "team_joined", by: "Birch" },
  { event: "said", ...lines.proposal },
  { event: "session_metadata_updated", by: "Atlas", ...rename },
  { event: "session_concluded", by: "Atlas" },
];

const joined = (team: string) => ({ event: "team_joined", team });
const said = (team: string, text: string) => ({ team, text });
const renamed = (reason: string) => ({
  event: "session_metadata_updated",
  by: "Atlas",
  changes: { title: { from: "Before", to: rename.title } },
  reason,
});
const concluded = (by: string) => ({ event: "session_concluded", by });

const wholeFeed = [
  joined("Birch"),
  said("Atlas", lines.proposal.text),
  renamed(rename.reason),
  concluded("Atlas"),
];

/** A message as the broker sends it. */
function toMessage(content: Record<string, unknown>, sequence: number): Message {
  const { event, team } = content;
  return {
    id: randomUUID(),
    session_id: randomUUID(),
    sequence,
    type: event ? "system" : "chat",
    posted_by_team_id: null,
    from: event ? null : { team: String(team), human: false },
    to: ["*"],
    priority: "next",
    content,
    posted_at: "2026-05-02T14:03:22.000Z",
    ...(event ? { event: String(event) } : {}),
  };
}

function check(contents: readonly Record<string, unknown>[]): FeedCheck {
  const checked = new FeedCheck(feed);
  for (const [index, content] of contents.entries()) checked.take(toMessage(content, index + 1));
  return checked;
}

describe("the check of the demo's feed", () => {
  it("[DEMO-3] is content when every message comes once and in order, and guests talk in between", () => {
    const guests = [...wholeFeed.slice(0, 2), joined("Cedar"), said("Cedar", "Hello"), ...wholeFeed.slice(2)];
    for (const contents of [wholeFeed, guests]) {
      const checked = check(contents);
      expect(checked.next).toBeUndefined();
      expect(checked.failed).toBe(false);
      expect(checked.messages).toHaveLength(contents.length);
    }
  });

  it.each([
    [
      "missing",
      [wholeFeed[0], wholeFeed[2]],
      "Expected Atlas to say",
      "came #2, session_metadata_updated by Atlas",
    ],
    [
      "said twice",
      [...wholeFeed.slice(0, 2), wholeFeed[1]],
      "Expected Atlas to rename",
      "came #3 from Atlas",
    ],
    [
      "said otherwise",
      [wholeFeed[0], said("Atlas", "No.")],
      "Expected Atlas to say",
      'came #2 from Atlas: "No."',
    ],
    [
      "said by another",
      [wholeFeed[0], said("Birch", lines.proposal.text)],
      "Atlas to say",
      "came #2 from Birch",
    ],
    ["changed for another reason", [...wholeFeed.slice(0, 2), renamed("Because.")], "to rename", "came #3"],
    [
      "over too early",
      [wholeFeed[0], concluded("Cedar")],
      "Atlas to say",
      "came #2, session_concluded by Cedar",
    ],
    ["going on", [...wholeFeed, concluded("Atlas")], "Expected nothing more", "came #5, session_concluded"],
  ])("[DEMO-3] says what was expected and what came when a message is %s", (_, contents, expected, came) => {
    const run = () => check(contents.map((content) => content ?? {}));
    expect(run).toThrow(expected);
    expect(run).toThrow(came);
  });

  it("[DEMO-3] knows the human by a number, too, which the broker gives where somebody verified has the name", () => {
    const checked = new FeedCheck([{ event: "team_joined", by: "Ana" }]);
    checked.take(toMessage(joined("Ana (2)"), 1));
    expect(checked.next).toBeUndefined();
  });

  it("[DEMO-3] does not let a gap or a repeat in the numbers pass", () => {
    for (const sequence of [1, 3]) {
      const checked = new FeedCheck(feed);
      checked.take(toMessage(joined("Birch"), 1));
      expect(() => checked.take(toMessage(said("Atlas", lines.proposal.text), sequence))).toThrow(
        `Expected message #2; instead came #${sequence} from Atlas`,
      );
      expect(checked.failed).toBe(true);
    }
  });
});
