import type { Agent, AgentWait } from "@merkle/wire";
import { expect, it } from "vitest";
import { countAgents, findState } from "./agent-state";

const at = "2026-01-01T00:00:00.000Z";

const idle: Agent = {
  peer_id: "1b4e28ba-2fa1-4d3b-a3f5-ef19b5a7633b",
  team_id: "1b4e28ba-2fa1-4d3b-a3f5-ef19b5a7633c",
  team: "Cedar",
  name: null,
  role: null,
  status: "idle",
  presence: "idle",
  declared: null,
  summary: "",
  summary_at: null,
  joined_at: at,
  last_seen_at: at,
  polling: false,
  task: null,
  session_id: "1b4e28ba-2fa1-4d3b-a3f5-ef19b5a7633d",
  session: "auth",
  session_title: "Auth",
  colour: 0,
  model: null,
  waits: [],
  unread: 0,
  tokens: null,
  cost_usd: null,
};
const working: Agent = { ...idle, declared: { status: "working", reason: null, at } };
const blocked: Agent = { ...idle, declared: { status: "blocked", reason: "needs a key", at } };
const ask: AgentWait = {
  kind: "ask",
  number: 7,
  on: ["@humans"],
  human: true,
  text: "Which key?",
  since: at,
};
const offline = { presence: "disconnected" } as const;

it("[DASH-370] agents are counted once, by what they reported and what was observed; after silence none of them works or needs anybody", () => {
  const agents = [working, working, idle, { ...idle, waits: [ask] }, blocked];
  expect(countAgents(agents)).toEqual({ needing: 2, others: "2 working, 1 online" });
  expect(countAgents(agents.map((agent) => ({ ...agent, ...offline })))).toEqual({
    needing: 0,
    others: "5 offline",
  });
  expect(
    countAgents([working, working, ...Array.from({ length: 9 }, () => ({ ...blocked, ...offline }))]),
  ).toEqual({ needing: 0, others: "2 working, 9 offline" });
});

it("[DASH-370] that an agent works is shown only if it was reported", () => {
  expect(findState({ ...idle, presence: "active" })).toBe("online");
  expect(findState(working)).toBe("working");
});
