import type { LaunchedClient } from "@merkle/wire/text";
import type { Reach } from "../broker/reach.js";
import type { ServerProgram } from "./server-program.js";
import type { TranscriptFormat } from "./transcript.js";
import type { UsageRecord } from "./usage-record.js";

/** The clients in the table of what each can do. */
export type ClientName = LaunchedClient;

/** Merkle's names for the events at which clients run hooks. */
export const hookEvents = ["UserPromptSubmit", "PreToolUse", "PostToolBatch", "Stop"] as const;
export type HookEvent = (typeof hookEvents)[number];

/**
 * A program that runs an agent. Describes how to find, configure, launch and wake it, and how its hooks
 * deliver messages. All client-specific code is in that client's file (VENDOR-1).
 */
export interface Client {
  readonly name: ClientName;
  /** The name shown to people, such as `Codex`. */
  readonly label: string;
  /** The program's name on PATH. */
  readonly program: string;
  /** The command that installs the client. */
  readonly installAdvice: string;
  /** The command that updates the client. */
  readonly updateAdvice: string;
  /** The client's name in the `clientInfo` of MCP. */
  readonly mcpName: string;
  /**
   * Advice about the setup that is needed for messages to reach the agent. Undefined if no setup is needed.
   */
  readonly hint: string | undefined;
  /**
   * Whether the launch itself drives the client, which is any program that speaks a protocol. The user names the
   * program after `--`. The launch prompts it, shows what it does and reports its turns, so hooks that the user
   * installed for it are not answered (LAUNCH-20).
   */
  readonly isDriven?: boolean;
  /** Whether the client's hooks use a local socket, because they cannot call tools of the MCP server. */
  readonly hasSocketHooks: boolean;
  /**
   * Returns how agents of this client version can be woken.
   *
   * @param version - the version string that the program prints; an unknown format counts as recent
   */
  getWakeAbility(version: string): WakeAbility;
  /**
   * Returns the additions to the client's configuration files that enable Merkle in every session of this
   * user (INSTALL-1, VENDOR-2).
   */
  configure(merkle: ServerProgram, found: ClientEnvironment): readonly FileAdditions[];
  /**
   * Returns the conversation that the client's arguments resume: a conversation id, or the latest in the
   * folder.
   */
  findResumeTarget(userArgs: readonly string[]): ResumeTarget | undefined;
  /** Returns the arguments that resume a conversation. */
  resume(conversation: string): readonly string[];
  /** Returns how to run the client as an agent that acts as the given peer. */
  launch(target: LaunchTarget, agent: LaunchedAgent): Promise<LaunchCall>;
  /**
   * Returns the hook output that adds text to the conversation. An empty string adds nothing.
   *
   * @param toUser - text that only the user sees, if the client supports that
   */
  deliver(event: HookEvent | "SessionStart", text: string, toUser?: string): object;
  /**
   * Returns whether the turn that a hook reports as ended was stopped by a person or by an error. Nothing is then added,
   * so that no new turn begins. Undefined if the client's hooks do not report it.
   */
  hasTurnFailed?(input: Readonly<Record<string, unknown>>): boolean;
  /**
   * Returns the conversation and subagent named in the `_meta` of a tool call, if the client sends them.
   *
   * @param session - the conversation named in a hook's input
   */
  parseCaller?(meta: unknown, session?: string): NamedCaller;
  /**
   * Returns the files that a tool is about to edit, from its hook's input (CLAIM-5). Undefined if the client
   * has no hook before edits.
   */
  listEditedFiles?(input: Readonly<Record<string, unknown>>): readonly string[];
  /** Reads token usage from the client's files. Undefined if their format is unknown. */
  readonly usage?: UsageRecord;
  /** The format of the client's transcripts. Undefined if it is unknown. */
  readonly transcript?: TranscriptFormat;
  /**
   * Makes the client restart an MCP server that has ended. Undefined if only the user can do that (WAKE-15).
   */
  restartServer?(peer: { readonly home: string; readonly storedPeerId: string }): Promise<void>;
  /**
   * Relays the permissions for which the client asks at its terminal, as a second client of the launch's companion, until
   * `ended` is aborted. Undefined if hooks or the launch itself do so, or nothing can.
   */
  relayPermissions?(relay: PermissionRelay): Promise<void>;
  /**
   * Opens the client's inbox, which accepts lines and begins turns. Returns null if the client cannot be made
   * to begin a turn.
   */
  openInbox(ways: InboxContext): ClientInbox | null;
}

export interface ClientEnvironment {
  readonly env: NodeJS.ProcessEnv;
  /** The program's version. Undefined if the program is not installed yet. */
  readonly version: string | undefined;
}

/** How agents of one client version can be woken (LAUNCH-16). */
export interface WakeAbility {
  readonly paths: readonly ("inbox" | "hooks" | "wait")[];
  /** Advice for the user, such as the client version that supports more ways to wake an agent. */
  readonly advice: string | undefined;
}

export type ResumeTarget = { readonly id: string } | "latest";

/** A client's configuration file, with the additions that Merkle makes to it. */
export interface FileAdditions {
  readonly path: string;
  /** `jsonc` is JSON with comments. */
  readonly format: "json" | "jsonc" | "toml";
  readonly additions: readonly Addition[];
}

/**
 * An addition to a file: a member of the object at a path, an item of the list at a path, or a TOML table
 * with its lines.
 */
export type Addition =
  | {
      readonly kind: "member";
      readonly path: readonly string[];
      readonly value: unknown;
      /** Whether the entries of others also need it, so that it stays as long as there are any. */
      readonly isShared?: true;
    }
  | { readonly kind: "item"; readonly path: readonly string[]; readonly value: unknown }
  | { readonly kind: "table"; readonly path: readonly string[]; readonly value: string };

/** The broker and the peer for which an agent is launched. */
export interface LaunchTarget extends Reach {
  /** The broker's base address. */
  readonly url: string;
  readonly storedPeerId: string;
  readonly slug: string;
  readonly teamName: string;
  readonly peerName: string | null;
}

/** Options for an agent that do not depend on its broker or peer. */
export interface AgentOptions {
  readonly model: string | undefined;
  /** Additional toolsets, separated by commas. */
  readonly tools: string | undefined;
  readonly hasChannel: boolean;
  readonly isInterruptible: boolean;
  /** The devices that can answer permission prompts. If the list is empty, only the terminal can. */
  readonly approvers: readonly string[];
  /** Whether what the person writes from this home and the person's devices counts as the user's words (OWN-1). */
  readonly hasOwnWords: boolean;
}

export interface LaunchedAgent extends AgentOptions {
  /** The user's arguments after `--`. */
  readonly userArgs: readonly string[];
  /** The version string that the program itself prints. */
  readonly version: string;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

/** How to run a client. Does not contain the program's path or any of Merkle's secrets (LAUNCH-6). */
export interface LaunchCall {
  readonly args: readonly string[];
  /** Variables to add to the user's environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly files: readonly LaunchFile[];
  /** A second process of the same program, to which the client connects. */
  readonly companion?: CompanionCall;
  /** What a driven client gets in its session. */
  readonly acp?: AcpCall;
}

/** What an agent gets in its session of the Agent Client Protocol. */
export interface AcpCall {
  readonly server: PeerServer;
  /** The socket on which the peer's MCP server answers the launch. */
  readonly socket: string;
  /** The text that introduces the model to its session, in its first prompt. */
  readonly introduction: string;
}

/** How a client starts the MCP server of a launched peer. */
export interface PeerServer {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface LaunchFile {
  readonly path: string;
  readonly content: string;
  /** The value shown by a dry run. Omits the user's own part, which may contain a secret. */
  readonly shown?: string;
}

/** How a client's file asks the agent's person for permissions. */
export interface PermissionRelay {
  /** The companion's socket. */
  readonly socket: string;
  /** Asks the person. Resolves with undefined if the person gives no answer. Withdraws the request when `ended` is aborted. */
  readonly ask: (
    request: {
      readonly tool: string;
      readonly input: object;
      /** Undefined for the folder of the launch. */
      readonly folder: string | undefined;
      readonly runsCommand: boolean;
    },
    ended: AbortSignal,
  ) => Promise<{ readonly isAllowed: boolean; readonly words: string | null } | undefined>;
  readonly ended: AbortSignal;
}

export interface CompanionCall {
  readonly args: readonly string[];
  /** The path of the second process's socket. The file appears once the process accepts connections. */
  readonly socket: string;
  /** The arguments for the client if the second process does not start. */
  readonly fallbackArgs: readonly string[];
}

export interface NamedCaller {
  readonly conversation?: string;
  /** The subagent's id; undefined for the main agent. */
  readonly subagent?: string;
}

/** The ways an MCP server can wake its client. */
export interface InboxContext {
  readonly env: NodeJS.ProcessEnv;
  /** Returns the client's current conversation, once known. */
  readonly findConversation: () => string | undefined;
  /** The inbox of the client plugins that are connected to this server. */
  readonly attached: ClientInbox;
}

/** Accepts a line, which begins a turn or joins the running turn. */
export interface ClientInbox {
  /** Whether the client currently seems able to accept a line. */
  readonly isConnected: boolean;
  /** Passes a line to the client. @throws Error if the client does not accept it */
  post(wake: { readonly line: string; readonly canInterrupt: boolean }): Promise<void>;
  /** Returns whether the client reports that it is in a turn. Missing if the client does not report it. */
  isBusy?(): Promise<boolean>;
}
