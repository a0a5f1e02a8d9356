import type { ChangedKind, Message } from "@merkle/wire";
import type { Client } from "../clients/client.js";
import type { Config } from "../settings/config.js";
import type { BrokerLink } from "./broker-link.js";
import type { HookCall } from "./hook-call.js";
import type { Briefs } from "./mail/briefs.js";
import type { OperationCall, OwnOperation } from "./operation-call.js";
import type { PeerSession, PeerSessions } from "./peer-sessions.js";

/** What a feature adds to the MCP server, which also works without any extension. */
export interface ServerExtension {
  /** The operations that the server itself handles in part, by name. */
  readonly operations?: Readonly<Record<string, OwnOperation>>;
  /** Creates the briefs that hooks deliver when there are many unread messages. */
  readonly briefs?: Briefs;
  /**
   * Called when the connection opens, and when data in a peer's session has changed. `kind` is set only for a
   * change.
   */
  readonly refresh?: (team: PeerSession, kind?: ChangedKind) => void;
  /** Called when the server starts to act as a peer. */
  readonly onPeer?: (team: PeerSession) => void;
  /** Decrypts a private message for a peer. Returns other messages unchanged. */
  readonly openMessage?: (team: PeerSession, message: Message) => Message;
  /** Returns what an event asks of the peer that it arrived for, or null if it asks nothing. */
  readonly findRequest?: (team: PeerSession, message: Message) => OpenRequest | null;
  /** Marks a message that counts as the words of the peer's own user. Returns any other message unchanged. */
  readonly recognise?: (team: PeerSession, message: Message) => Message;
  /** Called for each operation that the model calls. */
  readonly onCall?: (call: OperationCall) => void;
  /** Called for each hook that the client runs. */
  readonly onHook?: (call: HookCall) => void;
  /** Returns why an edit that a hook announced is refused, or null to allow the edit. */
  readonly judgeEdit?: (edit: Edit) => string | null;
}

/** Something asked of a peer, which its model is reminded of once before a turn ends (WAKE-21). */
export interface OpenRequest {
  /** Returns what to put to the model in one line, or null if the request is settled. */
  remind(signal: AbortSignal): Promise<string | null>;
}

export interface Edit {
  readonly files: readonly string[];
  /**
   * All data from the hook about the edit. Distinguishes a repetition of the edit from a different edit of
   * the same file.
   */
  readonly content: unknown;
  /** The conversation in which the edit is made. Each conversation is warned once. */
  readonly conversation: string;
  /** The agent that makes the edit; empty for the main agent. Each agent is warned separately. */
  readonly agentId: string;
}

/** The parts of the server that extensions can use. */
export interface ExtendedServer {
  readonly link: BrokerLink;
  readonly teams: () => PeerSessions;
  readonly client: Client;
  readonly config: Config;
  readonly env: NodeJS.ProcessEnv;
  /** Returns the number of unread messages above which hooks deliver a brief; 0 disables briefs. */
  readonly unreadMax: () => number;
  readonly log: (text: string) => void;
}

export type CreateExtension = (server: ExtendedServer) => ServerExtension;
