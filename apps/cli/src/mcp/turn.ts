import type { HookCall } from "./hook-call.js";

/** The agent that makes a tool call. Without hooks nobody can tell, and then it is taken for the main agent. */
export type Caller =
  | { readonly is: "main" | "unknown" }
  | { readonly is: "subagent"; readonly agent: string };

/**
 * The client's turns, as its hooks have told them: whether one runs, and which tool calls are a subagent's. A hook says so before
 * the call comes, which then has the same id (WAKE-7).
 */
export interface Turn {
  /** Whether the client has run a hook of ours, so that it can be expected to run them on. */
  readonly hasHooks: boolean;
  /** Whether a prompt was heard. Of a turn that began before, the end may not be heard either. */
  readonly hasPrompt: boolean;
  /** Notes a hook; returns whether it is the first of another conversation, and whether its prompt waits for the running turn. */
  hook(call: HookCall): { readonly isNewConversation: boolean; readonly isQueued: boolean };
  /** The agent whose call comes with this id. */
  callerOf(toolUseId: string | undefined): Caller;
  /** The turn is over. */
  end(): void;
  /**
   * The person interrupted the turn, at this time, and is about to say something: nudges wait until the next hook, or for a
   * while (WAKE-16).
   */
  interrupt(at?: number): void;
  /** Whether it was interrupted and nothing was heard since. */
  readonly isInterrupted: boolean;
  /** When a hook of the main agent's came last, in milliseconds of the clock. */
  readonly heardAt: number;
  /** Until when a turn is taken to run, in milliseconds of the clock; 0 when none does. */
  readonly runsUntil: number;
}

/**
 * A turn of which no hook has been heard for so long may have been interrupted. If it has not, because some tool takes
 * its time, a nudge too many is one line beside that tool's result.
 */
const silenceMsMax = 30_000;
/** How long a person who interrupted a turn has the agent for themselves. */
const quietMs = 20_000;
/** Calls that were announced and never came. */
const announcedMax = 500;
/** After so many calls in a row that no hook announced, the client is taken to run none any more. */
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
  /** Tool use ids and the subagent whose they are; "" for the main agent. The oldest first. */
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
      // A subagent may work on when the main agent's turn has ended.
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
 * Whether a prompt was typed while the turn of this one runs: the client gives it the same id, and shows it, with what its hook
 * adds, after everything that the turn's other hooks add. Some clients give all prompts the id of their session.
 */
export function isQueuedBehind(prompt: string, { event, promptId, sessionId, agentId }: HookCall): boolean {
  const isPrompt = event === "UserPromptSubmit" && agentId === "" && promptId !== "";
  return isPrompt && promptId === prompt && promptId !== sessionId;
}
