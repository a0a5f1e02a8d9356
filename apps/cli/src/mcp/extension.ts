import type { ChangedKind, Message } from "@merkle/wire";
import type { Client } from "../clients/client.js";
import type { Config } from "../settings/config.js";
import type { BrokerLink } from "./broker-link.js";
import type { HookCall } from "./hook-call.js";
import type { Briefs } from "./mail/briefs.js";
import type { PeerSession, PeerSessions } from "./peer-sessions.js";
import type { OwnOperation } from "./performance.js";

/** What a feature adds to the MCP server. The server works without any of it. */
export interface ServerExtension {
  /** The operations, by name, of which the server does a part itself. */
  readonly operations?: Readonly<Record<string, OwnOperation>>;
  /** Briefs that hooks deliver in place of many messages. */
  readonly briefs?: Briefs;
  /** Called when the connection opens, and, with the kind, when something of that kind changed. */
  readonly refresh?: (team: PeerSession, kind?: ChangedKind) => void;
  /** Called when the server begins to act as a peer. */
  readonly onPeer?: (team: PeerSession) => void;
  /** Decrypts a message for a peer; other messages stay as they are. */
  readonly openMessage?: (team: PeerSession, message: Message) => Message;
  /** Called with each hook of the client. */
  readonly onHook?: (call: HookCall) => void;
  /** Why an edit that a hook announces is refused; null if it may go on. */
  readonly judgeEdit?: (edit: Edit) => string | null;
}

export interface Edit {
  readonly files: readonly string[];
  /** Everything that the hook contains about the edit. It tells a repeated edit from another one in the same file. */
  readonly content: unknown;
  /** The conversation in which it happens. Each gets its own warning: a new one has not seen the earlier ones. */
  readonly conversation: string;
  /** Empty for the main agent. Each agent gets its own warning. */
  readonly agentId: string;
}

/** The parts of the server that an extension can use. */
export interface ExtendedServer {
  readonly link: BrokerLink;
  readonly teams: () => PeerSessions;
  readonly client: Client;
  readonly config: Config;
  readonly env: NodeJS.ProcessEnv;
  /** The number of unread messages above which hooks deliver a brief; 0 for never. */
  readonly unreadMax: () => number;
  readonly log: (text: string) => void;
}

export type CreateExtension = (server: ExtendedServer) => ServerExtension;
