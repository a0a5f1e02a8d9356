import type { Operation } from "@merkle/wire";
import type { Fields } from "./membership.js";
import type { PeerSession } from "./peer-sessions.js";
import type { Caller } from "./turn.js";

/** A tool call whose input is complete. */
export interface Performance {
  readonly operation: Operation;
  readonly input: Fields;
  readonly team: PeerSession | undefined;
  /** The team of every joined session, if the call names none of several sessions. */
  readonly everyTeam?: readonly PeerSession[] | undefined;
  readonly caller: Caller;
  readonly signal: AbortSignal;
}

export interface Performed {
  readonly output: unknown;
  /** A line for the model in front of the output. */
  readonly notice?: string | undefined;
  /** Called with whether the answer reached the client. */
  readonly settle?: (isDelivered: boolean) => void;
}

/** Asks the broker for an operation's output. */
export type AskBroker = (performance: Performance) => Promise<unknown>;

/** An operation of which the server does a part itself. Undefined leaves the whole call to the broker. */
export type OwnOperation = (performance: Performance, ask: AskBroker) => Promise<Performed | undefined>;
