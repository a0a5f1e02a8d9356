import type { AttentionItem } from "@merkle/wire";

const commonFields = {
  since: "2026-01-01T00:00:00.000Z",
  peer: null,
  options: [],
  blocked_reason: null,
  needs_person: true,
  unanswered: false,
  dismissed: false,
  snoozed_until: null,
};

/** Test data: an agent's ask in a session. */
export const stagedAsk: Extract<AttentionItem, { session_id: string }> = {
  ...commonFields,
  id: "ask:1:2",
  kind: "ask",
  session_id: "1b4e28ba-2fa1-4d3b-a3f5-ef19b5a7633b",
  session: "auth",
  session_title: "Auth",
  source_path: null,
  sequence: 2,
  number: null,
  team: "Cedar",
  text: "Which key?",
};

/** Test data: an agent's proposal for a file. */
export const stagedFileProposal: Extract<AttentionItem, { source_path: string }> = {
  ...commonFields,
  id: "proposal:file:7",
  kind: "proposal",
  session_id: null,
  session: null,
  session_title: null,
  source_path: "docs/guide & more.md",
  sequence: null,
  number: 7,
  team: null,
  text: "+1 −1 to the file",
};
