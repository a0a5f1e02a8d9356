import type { ChangedKind, Message } from "@merkle/wire";
import type { Client } from "../clients/client.js";
import type { Config } from "../settings/config.js";
import type { BrokerLink } from "./broker-link.js";
import type { HookCall } from "./hook-call.js";
import type { Briefs } from "./mail/briefs.js";
import type { PeerSession, PeerSessions } from "./peer-sessions.js";
import type { OwnOperation } from "./performance.js";

/** A feature's additions to the MCP server. The server also works without any extension. */
export interface ServerExtension {
  /** The operations that the server handles partly itself, by name. */
  readonly operations?: Readonly<Record<string, OwnOperation>>;
  /** Creates the briefs that hooks deliver instead of many messages. */
  readonly briefs?: Briefs;
  /**
   * Called when the connection opens, and when data of one kind has changed. `kind` is set only for a change.
   */
  readonly refresh?: (team: PeerSession, kind?: ChangedKind) => void;
  /** Called when the server begins to act as a peer. */
  readonly onPeer?: (team: PeerSession) => void;
  /** Decrypts a message for a peer; other messages stay as they are. */
  readonly openMessage?: (team: PeerSession, message: Message) => Message;
  /** Called with each hook of the client. */
  readonly onHook?: (call: HookCall) => void;
  /** Returns why an edit announced by a hook is refused, or null to allow it. */
  readonly judgeEdit?: (edit: Edit) => string | null;
}

export interface Edit {
  readonly files: readonly string[];
  /**
   * All of the hook's data about the edit. Distinguishes a repeated edit from another edit of the same file.
   */
  readonly content: unknown;
  /** The conversation that makes the edit. Warnings are shown once per conversation. */
  readonly conversation: string;
  /** The agent that makes the edit; empty for the main agent. Each agent gets its own warning. */
  readonly agentId: string;
}

/** The parts of the server that an extension can use. */
export interface ExtendedServer {
  readonly link: BrokerLink;
  readonly teams: () => PeerSessions;
  readonly client: Client;
  readonly config: Config;
  readonly env: NodeJS.ProcessEnv;
  /** The number of unread messages above which hooks deliver a brief; 0 disables briefs. */
  readonly unreadMax: () => number;
  readonly log: (text: string) => void;
}

export type CreateExtension = (server: ExtendedServer) => ServerExtension;
