import { MerkleError } from "@merkle/wire";
import { type HookEvent, hookEvents } from "../clients/client.js";
import type { Fields } from "./membership.js";

/** A hook that the client runs, as the launch has it call this server. What an event does not have is empty. */
export interface HookCall {
  readonly event: HookEvent;
  /** The client's session: another one after `/clear`. */
  readonly sessionId: string;
  /** The same through one turn of the main agent. */
  readonly promptId: string;
  /** Empty for the main agent. */
  readonly agentId: string;
  readonly toolUseId: string;
}

/** @throws MerkleError `bad_request` when it is no hook's call */
export function parseHookCall(fields: Fields): HookCall {
  const event = hookEvents.find((each) => each === fields["event"]);
  if (!event) throw new MerkleError("bad_request", `Expected one of the events ${hookEvents.join(", ")}.`);
  return {
    event,
    sessionId: textOf(fields["session_id"]),
    promptId: textOf(fields["prompt_id"]),
    agentId: textOf(fields["agent_id"]),
    toolUseId: textOf(fields["tool_use_id"]),
  };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value.slice(0, 200) : "";
}
