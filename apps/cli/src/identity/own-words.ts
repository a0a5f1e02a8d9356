import type { InputOf, Message, OwnSignature, Session } from "@merkle/wire";
import type { BrokerClient } from "../broker/broker-client.js";
import type { StoredPeer } from "../home/stored-peers.js";
import type { Config } from "../settings/config.js";

/** What makes a person's words count as such for the person's own agents (OWN-1). A feature provides it. */
export interface OwnWordsPart {
  /**
   * Binds a launch of a peer to the devices of its person. Returns how many devices besides this home count.
   *
   * @throws CliError `usage` if the peer has no name
   */
  bind(peer: StoredPeer, config: OwnConfig): Promise<number>;
  /** Ends what an earlier launch of the peer was bound to. Does nothing if there was no such launch. */
  unbind(peer: StoredPeer, home: string, broker: Pick<BrokerClient, "call">): Promise<void>;
  /**
   * Signs a message if it is for exactly one agent whose launch counts this home. Returns the signature and the
   * recipient, by its key; undefined for any other message.
   */
  sign(post: OwnPost, config: OwnConfig, broker: Pick<BrokerClient, "call">): Promise<SignedPost | undefined>;
  /**
   * Signs the answer to an agent's questions (APPROVE-13). Undefined if the agent's launch is not bound.
   *
   * @throws CliError `forbidden` if the launch names devices, but not this home
   */
  signAnswer(
    answer: OwnAnswer,
    askedBy: string,
    config: OwnConfig,
    broker: Pick<BrokerClient, "call">,
  ): Promise<OwnSignature | undefined>;
  /** Returns whether the peer's launch is bound. */
  isBound(reader: Pick<OwnReader, "home" | "storedPeerId">): boolean;
  /** Returns whether an answer counts as the user's own. False if the launch is not bound. */
  acceptsAnswer(answer: OwnAnswer, own: OwnSignature | null, reader: OwnReader): boolean;
  /** Marks a message that counts as the words of the peer's own user. Returns any other message unchanged. */
  recognise(message: Message, reader: OwnReader): Message;
}

export type OwnConfig = Pick<Config, "home" | "personName" | "ownDevices" | "agentShell">;

/** The peer that a message arrived for. */
export interface OwnReader {
  readonly home: string;
  readonly storedPeerId: string;
  readonly sessionId: string;
}

export interface OwnPost extends Pick<InputOf<"post_message">, "content" | "to" | "reply_to"> {
  readonly session: Pick<Session, "session_id">;
}

/** The answer to the questions in an agent's request, which the hash names. */
export interface OwnAnswer {
  readonly session_id: string;
  readonly hash: string;
  readonly answers: readonly string[];
}

export interface SignedPost {
  readonly own: OwnSignature;
  /** The recipient's key. Unlike a name, it cannot pass to another peer before the message is posted. */
  readonly to: string;
  /** The recipient's address. */
  readonly address: string;
}
