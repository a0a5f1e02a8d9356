import type { HookCall } from "./hook-call.js";

/** The agent that makes a tool call. `unknown`, without hooks, is treated as the main agent. */
export type Caller =
  | { readonly is: "main" | "unknown" }
  | { readonly is: "subagent"; readonly agent: string };

/**
 * The client's turns, as its hooks report them: whether one runs, and which tool calls are a subagent's. A hook announces a call
 * by its id before the call arrives (WAKE-7).
 */
export interface Turn {
  /** Whether the client runs merkle's hooks. */
  readonly hasHooks: boolean;
  /** Whether a prompt was heard. Of a turn that began before, the end may not be heard either. */
  readonly hasPrompt: boolean;
  /** Notes a hook. Returns whether it is the first of a conversation, and whether its prompt waits for the running turn. */
  hook(call: HookCall): { readonly isNewConversation: boolean; readonly isQueued: boolean };
  /** The agent that makes the call with this id. */
  callerOf(toolUseId: string | undefined): Caller;
  /** Ends the turn. */
  end(): void;
  /**
   * Notes that the person interrupted the turn, and is about to write a prompt: nudges wait until the next hook, or for a while
   * (WAKE-16).
   */
  interrupt(at?: number): void;
  /** Whether the turn was interrupted and no hook has come since. */
  readonly isInterrupted: boolean;
  /** When the main agent's last hook came, in milliseconds of the clock. */
  readonly heardAt: number;
  /** Until when a turn counts as running, in milliseconds of the clock; 0 if none runs. */
  readonly runsUntil: number;
}

/**
 * A turn without a hook for this long may have been interrupted. If a slow tool is running instead, the extra nudge is one line
 * beside that tool's result.
 */
const silenceMsMax = 30_000;
/** How long nudges wait after a person interrupted a turn. */
const quietMs = 20_000;
/** How many announced calls are kept that have not come yet. */
const announcedMax = 500;
/** After this many consecutive calls without a hook, the client counts as running none. */
const unannouncedMax = 3;

export function createTurn(now: () => number): Turn {
  let conversation: string | undefined;
  /** The prompt of the last turn. */
  let prompt = "";
  let heardAt = 0;
  let runsUntil = 0;
  let isInterrupted = false;
  let hasHooks = false;
  let hasPrompt = false;
  let announces = false;
  let unannounced = 0;
  /** The subagent of each announced tool use id, "" for the main agent, the oldest first. */
  const announced = new Map<string, string>();

  function announce({ toolUseId, agentId }: HookCall): void {
    announces = true;
    announced.set(toolUseId, agentId);
    const [oldest] = announced.keys();
    if (announced.size > announcedMax && oldest !== undefined) announced.delete(oldest);
  }

  function noteUnannounced(): void {
    unannounced += 1;
    if (unannounced < unannouncedMax) return;
    announces = false;
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
    hook(call) {
      hasHooks = true;
      unannounced = 0;
      if (call.event === "PreToolUse" && call.toolUseId !== "") announce(call);
      const isQueued = isQueuedBehind(prompt, call);
      // A subagent can continue after the main agent's turn has ended.
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
    callerOf(toolUseId) {
      if (!announces) return { is: "main" };
      const agent = announced.get(toolUseId ?? "");
      if (toolUseId !== undefined) announced.delete(toolUseId);
      if (agent === undefined) {
        noteUnannounced();
        return { is: announces ? "unknown" : "main" };
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
 * Whether a prompt was typed while a turn runs. The client gives it the running turn's id, and shows it, with its hook's text,
 * after the text of the turn's other hooks. Some clients give all prompts the id of their session.
 */
export function isQueuedBehind(prompt: string, { event, promptId, sessionId, agentId }: HookCall): boolean {
  const isPrompt = event === "UserPromptSubmit" && agentId === "" && promptId !== "";
  return isPrompt && promptId === prompt && promptId !== sessionId;
}
