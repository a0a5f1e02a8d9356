import type { Reach } from "../broker/reach.js";
import type { ServerProgram } from "./server-program.js";
import type { TranscriptFormat } from "./transcript.js";
import type { UsageRecord } from "./usage-record.js";

export type ClientName = "claude" | "codex" | "gemini" | "opencode" | "copilot";

/** The events for which an agent's client runs a hook, by one name for all clients. */
export const hookEvents = ["UserPromptSubmit", "PreToolUse", "PostToolBatch", "Stop"] as const;
export type HookEvent = (typeof hookEvents)[number];

/**
 * A program that runs an agent: how it is found, configured, launched and woken, and how its hooks hand over mail. What is
 * peculiar to one client stands in its own file and nowhere else (VENDOR-1).
 */
export interface Client {
  readonly name: ClientName;
  /** As people call it: `Codex`. */
  readonly label: string;
  /** Its name on PATH. */
  readonly program: string;
  /** The line that installs it. */
  readonly installAdvice: string;
  /** The name by which it introduces itself over MCP. */
  readonly introducesAs: string;
  /** Advice on what the client's user has to do or know before agents hear of messages; undefined when there is nothing. */
  readonly hint: string | undefined;
  /** Whether it has a hook that can answer a permission in the place of its terminal (APPROVE-1). */
  readonly relaysPermissions: boolean;
  /** Whether its hooks reach the server beside it by a local socket, because they cannot call a tool of it. */
  readonly usesSocket: boolean;
  /** @param version - as the program says it; one that cannot be understood is taken for a new one */
  wakePathsOf(version: string): WakeAbility;
  /** The additions to the client's own files that make Merkle part of every session of this user (INSTALL-1, VENDOR-2). */
  configure(merkle: ServerProgram, found: FoundClient): readonly FileAdditions[];
  /** The conversation that its arguments tell it to go on with: by its id, or the last one of the folder. */
  resumedBy(userArgs: readonly string[]): Resumed | undefined;
  /** The arguments that have it go on with a conversation. */
  resume(conversation: string): readonly string[];
  /** How it is run as the agent of a place. */
  launch(place: LaunchPlace, agent: LaunchedAgent): Promise<LaunchCall>;
  /**
   * The answer to its hook that has the model read the text; of an empty one nothing is added.
   *
   * @param toUser - what its user sees beside that, where it can show it; the model does not
   */
  deliver(event: HookEvent | "SessionStart", text: string, toUser?: string): object;
  /**
   * Which conversation and which subagent the `_meta` of a call names, where the client says so there.
   *
   * @param session - what the input of a hook says of the conversation
   */
  callerOf?(meta: unknown, session?: string): NamedCaller;
  /** The files that are edited by the tool before which the hook with this input runs (CLAIM-5); left out where it has no such hook. */
  editedFiles?(input: Readonly<Record<string, unknown>>): readonly string[];
  /** Where it writes down what its models used; left out where that is not known. */
  readonly usage?: UsageRecord;
  /** How it writes conversations down; left out where that is not known. */
  readonly transcript?: TranscriptFormat;
  /** Has it start a server of ours again that has ended; left out where its user alone can (WAKE-15). */
  reviveServer?(place: { readonly home: string; readonly placeId: string }): Promise<void>;
  /** Where it takes a line that begins a turn; null where nothing can make it begin one. */
  openInbox(ways: WakeWays): ClientInbox | null;
}

export interface FoundClient {
  readonly env: NodeJS.ProcessEnv;
  /** As the program says it; undefined where it is not installed yet. */
  readonly version: string | undefined;
}

/** How an agent of a version can be woken (LAUNCH-16). */
export interface WakeAbility {
  readonly paths: readonly ("inbox" | "hooks" | "wait")[];
  /** Advice, such as from which version on an agent could be woken in more ways; undefined when there is none. */
  readonly advice: string | undefined;
}

export type Resumed = { readonly id: string } | "latest";

/** A file of a client's, and what Merkle puts into it. */
export interface FileAdditions {
  readonly path: string;
  /** JSON, JSON in which comments may stand, or TOML. */
  readonly format: "json" | "jsonc" | "toml";
  readonly additions: readonly Addition[];
}

/** A member of an object by its path, one more item of the list at a path, or a table of a TOML file with its lines. */
export type Addition =
  | { readonly kind: "member"; readonly path: readonly string[]; readonly value: unknown }
  | { readonly kind: "item"; readonly path: readonly string[]; readonly value: unknown }
  | { readonly kind: "table"; readonly path: readonly string[]; readonly value: string };

/** Where a launched agent belongs. */
export interface LaunchPlace extends Reach {
  /** The broker's base. */
  readonly url: string;
  readonly placeId: string;
  readonly slug: string;
  readonly teamName: string;
}

/** How the agent runs, wherever it belongs. */
export interface AgentOptions {
  readonly model: string | undefined;
  /** Toolsets beside those that an agent always has, separated by commas. */
  readonly tools: string | undefined;
  readonly channel: boolean;
  readonly interruptible: boolean;
  /** The devices that answer what its client would ask at the terminal; none where nobody but the terminal is asked. */
  readonly approvers: readonly string[];
}

export interface LaunchedAgent extends AgentOptions {
  /** The arguments behind `--`. */
  readonly userArgs: readonly string[];
  /** The client's version, as its program says it. */
  readonly version: string;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

/** How a client is run: everything but the program itself. No secret of Merkle's is in it (LAUNCH-6). */
export interface LaunchCall {
  readonly args: readonly string[];
  /** Variables beside those of the user's own environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly files: readonly LaunchFile[];
  /** A second process of the same program, which it is to be connected to as long as it runs. */
  readonly beside?: BesideCall;
}

export interface LaunchFile {
  readonly path: string;
  readonly content: string;
  /** As a dry run shows it, where the user's own part of it may hold a secret. */
  readonly shown?: string;
}

export interface BesideCall {
  readonly args: readonly string[];
  /** The socket that is there once it can be connected to. */
  readonly socket: string;
  /** The arguments of the client itself where it did not come. */
  readonly argsWithout: readonly string[];
}

export interface NamedCaller {
  readonly conversation?: string;
  /** Undefined for the main agent. */
  readonly subagent?: string;
}

/** The means by which a server can wake the client beside it. */
export interface WakeWays {
  readonly env: NodeJS.ProcessEnv;
  /** The client's conversation, once it was named. */
  readonly conversation: () => string | undefined;
  /** Programs of the client that are connected to this server, and take lines for it. */
  readonly attached: ClientInbox;
}

/** Where a client takes a line that begins a turn, or comes into the one that runs. */
export interface ClientInbox {
  /** Whether it can be expected to take one at this moment. */
  readonly isThere: boolean;
  /** @throws Error when nobody took it */
  post(wake: { readonly line: string; readonly interrupts: boolean }): Promise<void>;
}
