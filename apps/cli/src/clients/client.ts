import type { Reach } from "../broker/reach.js";
import type { ServerProgram } from "./server-program.js";
import type { TranscriptFormat } from "./transcript.js";
import type { UsageRecord } from "./usage-record.js";

export type ClientName = "claude" | "codex" | "gemini" | "opencode" | "copilot";

/** The events for which an agent's client runs a hook, by one name for all clients. */
export const hookEvents = ["UserPromptSubmit", "PreToolUse", "PostToolBatch", "Stop"] as const;
export type HookEvent = (typeof hookEvents)[number];

/**
 * A program that runs an agent: how to find, configure, launch and wake it, and how its hooks deliver messages. Everything that is
 * particular to one client is in that client's file (VENDOR-1).
 */
export interface Client {
  readonly name: ClientName;
  /** The name for people: `Codex`. */
  readonly label: string;
  /** The program's name on PATH. */
  readonly program: string;
  /** The command that installs the client. */
  readonly installAdvice: string;
  /** The client's name in its MCP `clientInfo`. */
  readonly introducesAs: string;
  /** Advice on what the user must do before messages reach the agent; undefined if nothing. */
  readonly hint: string | undefined;
  /** Whether a hook of the client can answer permission prompts in place of the terminal (APPROVE-1). */
  readonly relaysPermissions: boolean;
  /** Whether its hooks reach the MCP server by a local socket, because they cannot call its tools. */
  readonly usesSocket: boolean;
  /** @param version - the program's own version text; an unknown format counts as new */
  wakePathsOf(version: string): WakeAbility;
  /** The additions to the client's own files that make Merkle part of every session of this user (INSTALL-1, VENDOR-2). */
  configure(merkle: ServerProgram, found: FoundClient): readonly FileAdditions[];
  /** The conversation that the client's arguments resume: by its id, or the last one of the folder. */
  resumedBy(userArgs: readonly string[]): Resumed | undefined;
  /** The arguments that resume a conversation. */
  resume(conversation: string): readonly string[];
  /** How to run the client as a peer's agent. */
  launch(place: LaunchPlace, agent: LaunchedAgent): Promise<LaunchCall>;
  /**
   * The hook's answer that adds the text to the conversation; an empty text adds nothing.
   *
   * @param toUser - a text for the user only, if the client can show one
   */
  deliver(event: HookEvent | "SessionStart", text: string, toUser?: string): object;
  /**
   * The conversation and subagent in the `_meta` of a call, if the client sends them there.
   *
   * @param session - the conversation in the input of a hook
   */
  callerOf?(meta: unknown, session?: string): NamedCaller;
  /** The files that a tool is about to edit, from the input of its hook (CLAIM-5). Undefined if the client has no such hook. */
  editedFiles?(input: Readonly<Record<string, unknown>>): readonly string[];
  /** How the client records the tokens that its models use. Undefined if unknown. */
  readonly usage?: UsageRecord;
  /** The format of the client's transcripts. Undefined if unknown. */
  readonly transcript?: TranscriptFormat;
  /** Makes the client restart an MCP server that has ended. Undefined if only its user can (WAKE-15). */
  reviveServer?(place: { readonly home: string; readonly placeId: string }): Promise<void>;
  /** The inbox that takes a line and begins a turn; null if nothing can begin one. */
  openInbox(ways: WakeWays): ClientInbox | null;
}

export interface FoundClient {
  readonly env: NodeJS.ProcessEnv;
  /** The program's version; undefined if it is not installed yet. */
  readonly version: string | undefined;
}

/** How an agent of one version can be woken (LAUNCH-16). */
export interface WakeAbility {
  readonly paths: readonly ("inbox" | "hooks" | "wait")[];
  /** Advice, such as the version from which on an agent can be woken in more ways. */
  readonly advice: string | undefined;
}

export type Resumed = { readonly id: string } | "latest";

/** A file of a client, and merkle's additions to it. */
export interface FileAdditions {
  readonly path: string;
  /** JSON, JSON with comments, or TOML. */
  readonly format: "json" | "jsonc" | "toml";
  readonly additions: readonly Addition[];
}

/** A member of an object by its path, one more item of the list at a path, or a table of a TOML file with its lines. */
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

/** How an agent runs, independent of its broker and peer. */
export interface AgentOptions {
  readonly model: string | undefined;
  /** Additional toolsets, separated by commas. */
  readonly tools: string | undefined;
  readonly channel: boolean;
  readonly interruptible: boolean;
  /** The devices that answer permission prompts. If empty, only the terminal answers. */
  readonly approvers: readonly string[];
}

export interface LaunchedAgent extends AgentOptions {
  /** The arguments behind `--`. */
  readonly userArgs: readonly string[];
  /** The client's version, from the program itself. */
  readonly version: string;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

/** How to run a client, without the program itself. It contains no secret of merkle (LAUNCH-6). */
export interface LaunchCall {
  readonly args: readonly string[];
  /** Variables in addition to the user's environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly files: readonly LaunchFile[];
  /** A second process of the same program, to which the client connects while it runs. */
  readonly beside?: BesideCall;
}

export interface LaunchFile {
  readonly path: string;
  readonly content: string;
  /** The content for a dry run, without the user's own part, which may contain a secret. */
  readonly shown?: string;
}

export interface BesideCall {
  readonly args: readonly string[];
  /** The socket of the second process. It exists once the process accepts connections. */
  readonly socket: string;
  /** The client's arguments if the second process did not start. */
  readonly argsWithout: readonly string[];
}

export interface NamedCaller {
  readonly conversation?: string;
  /** Undefined for the main agent. */
  readonly subagent?: string;
}

/** How an MCP server can wake its client. */
export interface WakeWays {
  readonly env: NodeJS.ProcessEnv;
  /** The client's conversation, once known. */
  readonly conversation: () => string | undefined;
  /** Parts of the client that are connected to this server and take lines for it. */
  readonly attached: ClientInbox;
}

/** Takes a line that begins a turn, or is added to the running one. */
export interface ClientInbox {
  /** Whether the client is expected to take a line now. */
  readonly isThere: boolean;
  /** @throws Error if the client did not take the line */
  post(wake: { readonly line: string; readonly interrupts: boolean }): Promise<void>;
}
