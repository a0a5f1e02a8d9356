import type { Operation } from "@merkle/wire";
import type { Fields } from "../core/is-object.js";
import type { PeerSession } from "./peer-sessions.js";
import type { Caller } from "./turn.js";

/** A tool call whose input is complete. */
export interface Performance {
  readonly operation: Operation;
  readonly input: Fields;
  readonly team: PeerSession | undefined;
  /** One peer per joined session. Set if the call names no session and several sessions are joined. */
  readonly everyTeam?: readonly PeerSession[] | undefined;
  readonly caller: Caller;
  readonly signal: AbortSignal;
}

export interface Performed {
  readonly output: unknown;
  /** A line to show to the model before the output. */
  readonly notice?: string | undefined;
  /** Called when delivery ends. `isDelivered` says whether the answer reached the client. */
  readonly settle?: (isDelivered: boolean) => void;
}

/** Performs the operation at the broker and returns its output. */
export type AskBroker = (performance: Performance) => Promise<unknown>;

/** Handles an operation partly in this server. Returns undefined to pass the whole call to the broker. */
export type OwnOperation = (performance: Performance, ask: AskBroker) => Promise<Performed | undefined>;
