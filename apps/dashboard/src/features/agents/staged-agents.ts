import type { Agent, AgentWait } from "@merkle/wire";

/** Test data: the time of everything that the staged agents did. */
export const at = "2026-01-01T00:00:00.000Z";

/** Test data: an agent that is online and has reported nothing. */
export const idle: Agent = {
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

/** Test data: an agent whose client has reported that it works. */
export const working: Agent = { ...idle, declared: { status: "working", reason: null, at } };

/** Test data: an agent that has reported that it is blocked. */
export const blocked: Agent = { ...idle, declared: { status: "blocked", reason: "needs a key", at } };

/** Test data: an ask to humans. */
export const ask: AgentWait = {
  kind: "ask",
  number: 7,
  on: ["@humans"],
  human: true,
  text: "Which key?",
  since: at,
};

export const offline = { presence: "disconnected" } as const;
