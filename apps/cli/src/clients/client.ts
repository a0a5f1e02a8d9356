import type { Reach } from "../broker/reach.js";
import type { ServerProgram } from "./server-program.js";
import type { TranscriptFormat } from "./transcript.js";
import type { UsageRecord } from "./usage-record.js";

export type ClientName = "claude" | "codex" | "gemini" | "opencode" | "copilot";

/** The events at which clients run hooks. Merkle uses these names for all clients. */
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
  /** The client's name in its MCP `clientInfo`. */
  readonly introducesAs: string;
  /**
   * Setup advice for the user, without which messages do not reach the agent. Undefined if no setup is
   * needed.
   */
  readonly hint: string | undefined;
  /** Whether a hook can answer permission prompts instead of the terminal (APPROVE-1). */
  readonly relaysPermissions: boolean;
  /** Whether the client's hooks use a local socket, because they cannot call the server's tools. */
  readonly usesSocket: boolean;
  /**
   * Returns how agents of this client version can be woken.
   *
   * @param version - the version text printed by the program; an unknown format counts as recent
   */
  wakePathsOf(version: string): WakeAbility;
  /**
   * Returns the additions to the client's configuration that enable Merkle in every session of this user
   * (INSTALL-1, VENDOR-2).
   */
  configure(merkle: ServerProgram, found: FoundClient): readonly FileAdditions[];
  /** Returns the conversation that the client's arguments resume: an id, or the folder's latest. */
  resumedBy(userArgs: readonly string[]): Resumed | undefined;
  /** Returns the arguments that resume a conversation. */
  resume(conversation: string): readonly string[];
  /** Returns how to run the client as the agent of a peer. */
  launch(place: LaunchPlace, agent: LaunchedAgent): Promise<LaunchCall>;
  /**
   * Returns the hook answer that adds a text to the conversation. An empty text adds nothing.
   *
   * @param toUser - text that only the user sees, if the client supports that
   */
  deliver(event: HookEvent | "SessionStart", text: string, toUser?: string): object;
  /**
   * Returns the conversation and subagent named in a call's `_meta`, if the client sends them.
   *
   * @param session - the conversation named in a hook's input
   */
  callerOf?(meta: unknown, session?: string): NamedCaller;
  /**
   * Returns the files that a tool is about to edit, from its hook's input (CLAIM-5). Undefined if the client
   * has no such hook.
   */
  editedFiles?(input: Readonly<Record<string, unknown>>): readonly string[];
  /** The client's record of token usage. Undefined if the format is unknown. */
  readonly usage?: UsageRecord;
  /** The format of the client's transcripts. Undefined if unknown. */
  readonly transcript?: TranscriptFormat;
  /** Makes the client restart an ended MCP server. Undefined if only the user can do that (WAKE-15). */
  reviveServer?(place: { readonly home: string; readonly placeId: string }): Promise<void>;
  /** Opens the inbox, which takes lines and begins turns. Null if nothing can begin a turn. */
  openInbox(ways: WakeWays): ClientInbox | null;
}

export interface FoundClient {
  readonly env: NodeJS.ProcessEnv;
  /** The program's version; undefined if it is not installed yet. */
  readonly version: string | undefined;
}

/** The ways to wake an agent of one client version (LAUNCH-16). */
export interface WakeAbility {
  readonly paths: readonly ("inbox" | "hooks" | "wait")[];
  /** Advice for the user, such as the version that supports more ways. */
  readonly advice: string | undefined;
}

export type Resumed = { readonly id: string } | "latest";

/** One of a client's files, with the additions that Merkle makes. */
export interface FileAdditions {
  readonly path: string;
  /** `jsonc` is JSON with comments. */
  readonly format: "json" | "jsonc" | "toml";
  readonly additions: readonly Addition[];
}

/**
 * An addition: a member at a path of an object, an item of the list at a path, or a TOML table with its
 * lines.
 */
export type Addition =
  | { readonly kind: "member"; readonly path: readonly string[]; readonly value: unknown }
  | { readonly kind: "item"; readonly path: readonly string[]; readonly value: unknown }
  | { readonly kind: "table"; readonly path: readonly string[]; readonly value: string };

/** The broker and peer of a launched agent. */
export interface LaunchPlace extends Reach {
  /** The broker's base address. */
  readonly url: string;
  readonly placeId: string;
  readonly slug: string;
  readonly teamName: string;
}

/** Options of an agent that do not depend on its broker or peer. */
export interface AgentOptions {
  readonly model: string | undefined;
  /** Additional toolsets, comma-separated. */
  readonly tools: string | undefined;
  readonly channel: boolean;
  readonly interruptible: boolean;
  /** The devices that can answer permission prompts. If empty, only the terminal can. */
  readonly approvers: readonly string[];
}

export interface LaunchedAgent extends AgentOptions {
  /** The arguments after `--`. */
  readonly userArgs: readonly string[];
  /** The version that the program itself reports. */
  readonly version: string;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

/** How to run a client. Does not contain the program's path or any of Merkle's secrets (LAUNCH-6). */
export interface LaunchCall {
  readonly args: readonly string[];
  /** Variables in addition to the user's environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly files: readonly LaunchFile[];
  /** A second process of the same program, to which the client connects. */
  readonly beside?: BesideCall;
}

export interface LaunchFile {
  readonly path: string;
  readonly content: string;
  /** The content shown by a dry run. Omits the user's part, which may contain a secret. */
  readonly shown?: string;
}

export interface BesideCall {
  readonly args: readonly string[];
  /** The second process's socket. It appears once the process accepts connections. */
  readonly socket: string;
  /** The client's arguments to use if the second process does not start. */
  readonly argsWithout: readonly string[];
}

export interface NamedCaller {
  readonly conversation?: string;
  /** The subagent's id; undefined for the main agent. */
  readonly subagent?: string;
}

/** The parts that an MCP server can use to wake its client. */
export interface WakeWays {
  readonly env: NodeJS.ProcessEnv;
  /** Returns the client's conversation, once known. */
  readonly conversation: () => string | undefined;
  /** The inbox of client plugins that are connected to this server. */
  readonly attached: ClientInbox;
}

/** Accepts a line that begins a turn or joins the running turn. */
export interface ClientInbox {
  /** Whether the client currently seems able to accept a line. */
  readonly isThere: boolean;
  /** Passes a line to the client. @throws Error if the client does not accept it */
  post(wake: { readonly line: string; readonly interrupts: boolean }): Promise<void>;
}
