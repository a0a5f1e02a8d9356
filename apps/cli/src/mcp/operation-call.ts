import type { Operation } from "@merkle/wire";
import type { JsonFields } from "../core/is-object.js";
import type { PeerSession } from "./peer-sessions.js";
import type { ToolCaller } from "./turn.js";

/** A tool call whose input is complete. */
export interface OperationCall {
  readonly operation: Operation;
  readonly input: JsonFields;
  readonly team: PeerSession | undefined;
  /** One peer per joined session. Set if the call names no session and several sessions are joined. */
  readonly everyTeam?: readonly PeerSession[] | undefined;
  readonly caller: ToolCaller;
  readonly signal: AbortSignal;
}

export interface OperationResult {
  readonly output: unknown;
  /** A line to show to the model before the output. */
  readonly notice?: string | undefined;
  /** Called when delivery ends. `isDelivered` says whether the answer reached the client. */
  readonly settle?: (isDelivered: boolean) => void;
}

/** Performs the operation at the broker and returns its output. */
export type AskBroker = (call: OperationCall) => Promise<unknown>;

/** Handles an operation partly in this server. Returns undefined to pass the whole call to the broker. */
export type OwnOperation = (call: OperationCall, ask: AskBroker) => Promise<OperationResult | undefined>;
