import type { Operation } from "@merkle/wire";
import type { Fields } from "./membership.js";
import type { PeerSession } from "./peer-sessions.js";
import type { Caller } from "./turn.js";

/** A tool call whose input is complete. */
export interface Performance {
  readonly operation: Operation;
  readonly input: Fields;
  readonly team: PeerSession | undefined;
  /** One peer per joined session, if the call names no session and several are joined. */
  readonly everyTeam?: readonly PeerSession[] | undefined;
  readonly caller: Caller;
  readonly signal: AbortSignal;
}

export interface Performed {
  readonly output: unknown;
  /** A line for the model in front of the output. */
  readonly notice?: string | undefined;
  /** Called when delivery ends, with whether the answer reached the client. */
  readonly settle?: (isDelivered: boolean) => void;
}

/** Calls the operation at the broker and returns its output. */
export type AskBroker = (performance: Performance) => Promise<unknown>;

/**
 * An operation that the server handles partly itself. Returns undefined to leave the whole call to the
 * broker.
 */
export type OwnOperation = (performance: Performance, ask: AskBroker) => Promise<Performed | undefined>;
