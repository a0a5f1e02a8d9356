import type { AlertKind } from "./operations.js";

/** The reasons to tell a person something elsewhere, each switched on by itself. */
export const alertReasons: Readonly<Record<AlertKind, string>> = {
  approval: "An agent needs your permission",
  ask: "An agent asks a question",
  proposal: "New proposal",
  job_failed: "An agent's job has failed",
  in_review: "A task needs review",
  handed_back: "A task was returned because its agent went offline",
  blocked: "An agent is blocked",
  held: "A session is held",
  budget_spent: "Agents have reached their message limit",
  budget_near: "Agents have nearly used up their tokens",
  quiet: "A session has gone quiet",
  undelivered: "A message is undelivered for hours",
  quota_near: "A quota of the mesh is nearly used up",
  concluded: "A session is concluded",
};
