import { MerkleError } from "@merkle/wire";
import { type HookEvent, hookEvents } from "../clients/client.js";
import type { JsonFields } from "../core/is-object.js";

/** A call from a client's hook to this server. Fields that do not apply to the event are empty. */
export interface HookCall {
  readonly event: HookEvent;
  /** The client's session id, which changes after `/clear`. */
  readonly sessionId: string;
  /** The id of the main agent's turn, shared by all hooks in that turn. */
  readonly promptId: string;
  /** The calling subagent; empty for the main agent. */
  readonly agentId: string;
  readonly toolUseId: string;
}

/** Parses a call from a hook. @throws MerkleError `bad_request` if the event is unknown */
export function parseHookCall(fields: JsonFields): HookCall {
  const event = hookEvents.find((each) => each === fields["event"]);
  if (!event) throw new MerkleError("bad_request", `Expected one of the events ${hookEvents.join(", ")}.`);
  return {
    event,
    sessionId: toText(fields["session_id"]),
    promptId: toText(fields["prompt_id"]),
    agentId: toText(fields["agent_id"]),
    toolUseId: toText(fields["tool_use_id"]),
  };
}

function toText(value: unknown): string {
  return typeof value === "string" ? value.slice(0, 200) : "";
}
