import type { AttentionItem } from "@merkle/wire";
import { expect, it } from "vitest";
import { formatNeed, formatNeedAdvice, toNeed } from "./needs.js";

const at = new Date(Date.now() - 360_000).toISOString();
const item: Extract<AttentionItem, { session_id: string }> = {
  id: "",
  kind: "ask",
  session_id: "",
  session: "auth",
  session_title: "Auth",
  source_path: null,
  since: at,
  sequence: null,
  number: null,
  team: null,
  peer: null,
  text: "",
  options: [],
  blocked_reason: null,
  needs_person: true,
  unanswered: false,
  dismissed: false,
  snoozed_until: null,
};

it.each<[Partial<typeof item>, object, string, string]>([
  [
    { kind: "ask", sequence: 405, team: "Cedar", peer: "cy", text: "which\nkey?", options: ["vault", "new"] },
    {
      kind: "ask",
      message: 405,
      from: "Cedar/cy",
      text: "which\nkey?",
      options: ["vault", "new"],
      at,
      unanswered: false,
    },
    'Cedar/cy asks "which key?" [1 vault] [2 new] #405 6m ago',
    "merkle post auth --reply-to 405 --answer <answer>",
  ],
  [
    { kind: "blocked", team: "Cedar", text: "needs key" },
    { kind: "blocked", team: "Cedar", peer: null, reason: "needs key", ask: null, at },
    "Cedar is blocked 6m: needs key",
    "merkle post auth <text> --to Cedar",
  ],
  [
    {
      ...{ kind: "blocked", team: "Cedar", sequence: 405, text: "which key?", options: ["vault", "new"] },
      blocked_reason: "needs key",
    },
    {
      ...{ kind: "blocked", team: "Cedar", peer: null, reason: "needs key", at },
      ask: { message: 405, text: "which key?", options: ["vault", "new"] },
    },
    'Cedar is blocked 6m and asks "which key?" [1 vault] [2 new] #405: needs key',
    "merkle post auth --reply-to 405 --answer <answer>",
  ],
  [
    { kind: "blocked", team: "Oak $(id)`id`'s", text: "" },
    { kind: "blocked", team: "Oak $(id)`id`'s", peer: null, reason: null, ask: null, at },
    "Oak $(id)`id`'s is blocked 6m",
    "merkle post auth <text> --to 'Oak $(id)`id`'\\''s'",
  ],
  [
    { kind: "held", team: "Ana" },
    { kind: "held", by: "Ana", reason: null, at },
    "held by Ana 6m",
    "merkle resume auth",
  ],
  [
    { kind: "budget_spent" },
    { kind: "budget_spent", at },
    "agents have reached their message limit, 6m ago",
    "merkle resume auth",
  ],
  [
    { kind: "budget_near", text: "Agents reported 80 of 100 tokens." },
    { kind: "budget_near", text: "Agents reported 80 of 100 tokens.", at },
    "a token budget is nearly used up, 6m ago: Agents reported 80 of 100 tokens.",
    "merkle resume auth",
  ],
  [
    { kind: "proposal", number: 7, text: "+1 −1 to the document" },
    { kind: "proposal", proposal: 7, from: null, text: "+1 −1 to the document", at, unanswered: false },
    "proposal 7, +1 −1 to the document, waits 6m",
    "merkle doc accept auth 7",
  ],
  [
    { kind: "quiet" },
    { kind: "quiet", at },
    "no one has posted or checked for messages for 6m",
    "merkle peers auth",
  ],
  [
    { kind: "undelivered", number: 3, sequence: 9 },
    { kind: "undelivered", messages: 3, first: 9, at },
    "3 messages are undelivered, the first, #9, for 6m",
    "merkle undelivered auth",
  ],
])("[CLI-46] %j is told with what its kind has, and with what ends it", (special, need, text, advice) => {
  const attentionNeed = toNeed({ ...item, ...special });
  expect(attentionNeed).toEqual(need);
  expect(formatNeed(attentionNeed)).toBe(text);
  expect(formatNeedAdvice(attentionNeed, "auth")).toBe(advice);
});

it.each<[Partial<typeof item>, string]>([
  [
    { kind: "ask", sequence: 405, team: "Cedar", text: "which key?" },
    'Cedar asks "which key?" #405, unanswered for 6m',
  ],
  [
    { kind: "approval", number: 3, team: "Cedar", text: "Bash" },
    "Cedar asks to use Bash, approval 3, waits 6m",
  ],
  [
    { kind: "proposal", number: 7, text: "+1 −1 to the document" },
    "proposal 7, +1 −1 to the document, waits 6m",
  ],
  [
    { kind: "in_review", number: 4, team: "Cedar", text: "Rotate" },
    "task 4 is in review, done by Cedar, waits 6m: Rotate",
  ],
])("[ATT-15] %j says how long it has waited, and only a question is called unanswered", (special, text) => {
  expect(formatNeed(toNeed({ ...item, ...special, unanswered: true }))).toBe(text);
});

const ofFile: Extract<AttentionItem, { session_id: null }> = {
  ...item,
  kind: "proposal",
  session_id: null,
  session: null,
  session_title: null,
  source_path: "docs/guide.md",
};

it.each<[Partial<typeof ofFile>, string, string]>([
  [
    { kind: "proposal", number: 7, team: "Ana", text: "+1 −1 to the file" },
    "proposal 7 from Ana, +1 −1 to the file, waits 6m",
    "merkle source accept 7",
  ],
  [
    { kind: "job_failed", number: 8, text: "incorporate: Agent timed out after 5m." },
    "job 8 incorporate: Agent timed out after 5m. 6m ago",
    "merkle jobs show 8",
  ],
])("[CLI-80] %j of a file is told with what decides about it", (special, text, advice) => {
  const need = toNeed({ ...ofFile, ...special });
  expect(formatNeed(need)).toBe(text);
  expect(formatNeedAdvice(need, null)).toBe(advice);
});
