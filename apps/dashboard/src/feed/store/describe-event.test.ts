import type { Message } from "@merkle/wire";
import { expect, it } from "vitest";
import { describeEvent } from "./describe-event";

const event: Message = {
  id: "1b4e28ba-2fa1-4d3b-a3f5-ef19b5a7633b/7",
  session_id: "1b4e28ba-2fa1-4d3b-a3f5-ef19b5a7633b",
  sequence: 7,
  type: "system",
  posted_by_team_id: null,
  from: null,
  to: ["*"],
  priority: "next",
  content: {},
  posted_at: "2026-01-01T00:00:00.000Z",
};

it("[DASH-277] comments are told in the feed as sentences, with what they are about", () => {
  const said = (more: object) => describeEvent({ ...event, by: "Ana", title: "For how long?", ...more }).text;
  expect(said({ event: "topic_opened", quote: "Keep v1 tokens" })).toBe(
    "\u2068Ana\u2069 commented on “\u2068Keep v1 tokens\u2069”: \u2068For how long?\u2069",
  );
  expect(said({ event: "topic_opened", quote: null })).toContain("commented on the document: ");
  expect(said({ event: "topic_closed", reason: "accepted" })).toBe(
    "\u2068Ana\u2069 closed the comment “\u2068For how long?\u2069”: accepted",
  );
  expect(said({ event: "topic_reopened" })).toBe(
    "\u2068Ana\u2069 reopened the comment “\u2068For how long?\u2069”",
  );
});
