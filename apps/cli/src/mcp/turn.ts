import type { HookCall } from "./hook-call.js";

/** The agent that makes a tool call. An `unknown` agent is treated as the main agent. */
export type ToolCaller =
  | { readonly is: "main" | "unknown" }
  | { readonly is: "subagent"; readonly agent: string };

/**
 * The client's turns, as reported by its hooks: whether a turn is running, and which tool calls come from a
 * subagent. A hook announces the id of a call before the call arrives (WAKE-7).
 */
export interface Turn {
  /** Whether the client runs Merkle's hooks. */
  readonly hasHooks: boolean;
  /**
   * Whether a hook reported the prompt of the current turn. If not, the end of the turn may not be reported
   * either.
   */
  readonly hasPrompt: boolean;
  /**
   * Records a hook. Returns whether it is the first in a conversation, and whether its prompt is queued
   * behind the running turn.
   */
  recordHook(call: HookCall): { readonly isNewConversation: boolean; readonly isQueued: boolean };
  /** Returns which agent makes the tool call with this id. */
  identifyCaller(toolUseId: string | undefined): ToolCaller;
  /** Marks the turn as ended. */
  end(): void;
  /**
   * Records that the person interrupted the turn and is probably about to type. Nudges then wait for the next
   * hook, or until a timeout (WAKE-16).
   */
  interrupt(at?: number): void;
  /** Whether the turn was interrupted and no hook has arrived since then. */
  readonly isInterrupted: boolean;
  /** When the main agent's last hook arrived, in milliseconds. */
  readonly heardAt: number;
  /**
   * When the running turn counts as over if no further hook arrives, in milliseconds; 0 if no turn is
   * running.
   */
  readonly runsUntil: number;
}

/**
 * If no hook arrives for this long, the turn may have been interrupted. If a slow tool is running instead,
 * the unnecessary nudge only adds a line to the tool's result.
 */
const silenceMsMax = 30_000;
/** How long nudges wait after a person has interrupted a turn. */
const quietMs = 20_000;
/** Maximum number of announced calls to remember until they arrive. */
const announcedMax = 500;
/** After this many consecutive calls that no hook announced, the client is assumed to run no hooks. */
const unannouncedMax = 3;

export function createTurn(now: () => number): Turn {
  let conversation: string | undefined;
  /** The id of the prompt that began the last turn. */
  let prompt = "";
  let heardAt = 0;
  let runsUntil = 0;
  let isInterrupted = false;
  let hasHooks = false;
  let hasPrompt = false;
  let hasAnnouncements = false;
  let unannounced = 0;
  /** For each announced tool call, the id of the calling agent, oldest first. Empty for the main agent. */
  const announced = new Map<string, string>();

  function announce({ toolUseId, agentId }: HookCall): void {
    hasAnnouncements = true;
    announced.set(toolUseId, agentId);
    const [oldest] = announced.keys();
    if (announced.size > announcedMax && oldest !== undefined) announced.delete(oldest);
  }

  function noteUnannounced(): void {
    unannounced += 1;
    if (unannounced < unannouncedMax) return;
    hasAnnouncements = false;
    hasHooks = false;
    runsUntil = 0;
  }

  return {
    get hasHooks() {
      return hasHooks;
    },
    get hasPrompt() {
      return hasPrompt;
    },
    get heardAt() {
      return heardAt;
    },
    get runsUntil() {
      return runsUntil;
    },
    recordHook(call) {
      hasHooks = true;
      unannounced = 0;
      if (call.event === "PreToolUse" && call.toolUseId !== "") announce(call);
      const isQueued = isQueuedBehind(prompt, call);
      // Only the main agent's hooks affect the turn, because a subagent can continue after the turn has ended.
      if (call.agentId === "") {
        prompt = call.promptId;
        hasPrompt ||= call.event === "UserPromptSubmit";
        isInterrupted = false;
        heardAt = now();
        runsUntil = heardAt + silenceMsMax;
      }
      if (call.sessionId === "" || call.sessionId === conversation)
        return { isNewConversation: false, isQueued };
      const isFirst = conversation === undefined;
      conversation = call.sessionId;
      return { isNewConversation: !isFirst, isQueued };
    },
    identifyCaller(toolUseId) {
      if (!hasAnnouncements) return { is: "main" };
      const agent = announced.get(toolUseId ?? "");
      if (toolUseId !== undefined) announced.delete(toolUseId);
      if (agent === undefined) {
        noteUnannounced();
        return { is: hasAnnouncements ? "unknown" : "main" };
      }
      return agent === "" ? { is: "main" } : { is: "subagent", agent };
    },
    end() {
      runsUntil = 0;
    },
    interrupt(at = now()) {
      isInterrupted = true;
      runsUntil = at + quietMs;
    },
    get isInterrupted() {
      return isInterrupted;
    },
  };
}

/**
 * Returns whether a prompt was typed during a running turn. The client gives such a prompt the id of the
 * running turn, and shows it with its hook's text after the output of the turn's other hooks. Clients that
 * use their session id for all prompts are excluded.
 */
export function isQueuedBehind(prompt: string, { event, promptId, sessionId, agentId }: HookCall): boolean {
  const isPrompt = event === "UserPromptSubmit" && agentId === "" && promptId !== "";
  return isPrompt && promptId === prompt && promptId !== sessionId;
}
