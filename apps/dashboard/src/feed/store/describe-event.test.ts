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

it("[DASH-277] permissions and settings are told in words, and who is named as the team is named once", () => {
  const said = (more: object) =>
    describeEvent({ ...event, by: "Ana", ...more }).text.replace(/[\u2068\u2069]/g, "");
  const approval = { event: "approval_ended", of: "Atlas/atlas", tool: "Bash" };
  expect(said({ ...approval, decision: "allowed" })).toBe("Ana allowed Atlas’s request to use Bash");
  expect(said({ ...approval, decision: "denied", of: "Atlas/oak" })).toBe(
    "Ana denied Atlas/oak’s request to use Bash",
  );
  expect(said({ ...approval, decision: "withdrawn", by: null })).toBe(
    "Atlas’s request to use Bash was answered in the terminal",
  );
  expect(said({ ...approval, tool: "AskUserQuestion", decision: "allowed" })).toBe(
    "Ana answered Atlas’s question",
  );
  expect(said({ ...approval, tool: "ExitPlanMode", decision: "denied" })).toBe("Ana rejected Atlas’s plan");
  const changes = { claim_grace_s: { from: 900, to: 60 }, token_budget: { from: 0, to: 2_200_000 } };
  expect(said({ event: "settings_changed", changes })).toBe(
    "Ana changed the claim grace from 900 s to 60 s, the token budget from 0 to 2,200,000",
  );
});

it("[TASK-16] shows the result of a finished task in the event, so no one needs to post it", () => {
  const done = { event: "task_changed", task: 7, change: "done", by: "Birch", title: "rotate tokens" };
  expect(describeEvent({ ...event, ...done, result: "in auth/rotate.ts" })).toEqual({
    text: "\u2068Birch\u2069 finished task 7, “\u2068rotate tokens\u2069”",
    reason: "in auth/rotate.ts",
  });
});
