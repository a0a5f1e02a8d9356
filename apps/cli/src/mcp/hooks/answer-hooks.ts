import { allowTool, asksInPlanMode } from "../../clients/claude-hooks.js";
import type { Client } from "../../clients/client.js";
import type { PermissionReport, TurnReport } from "../../clients/client-socket.js";
import type { Transcript } from "../../clients/transcript.js";
import type { JsonFields } from "../../core/is-object.js";
import type { ServerExtension } from "../extension.js";
import { type HookCall, parseHookCall } from "../hook-call.js";
import type { Renderer } from "../long-results.js";
import type { Brief, Briefs } from "../mail/briefs.js";
import type { DeliveryRecord } from "../mail/delivery-record.js";
import type { PeerSession, PeerSessions } from "../peer-sessions.js";
import type { SecretStore } from "../secret-store.js";
import { ignore, type ToolAnswer } from "../tool-answer.js";
import type { Turn } from "../turn.js";
import type { HookAnswer, HookBriefs, HookServer } from "./hook-server.js";
import type { PermissionWatch } from "./permission-watch.js";
import type { Reminder } from "./reminder.js";

/** Answers the client's hooks, which arrive as tool calls or over a socket. */
interface HookAnswers {
  /**
   * Answers a hook that arrived as a tool call.
   *
   * @param meta - the `_meta` of the request, in which some clients identify the calling agent
   */
  answerCall(fields: JsonFields, meta: unknown): Promise<ToolAnswer>;
  answerSocket(fields: JsonFields): Promise<HookAnswer>;
  /** Handles what a launch reports that drives the client. */
  noteTurn(turn: TurnReport): void;
  notePermission(permission: PermissionReport | null): void;
}

interface HookAnswersOptions {
  readonly client: Client;
  /**
   * Whether the client was started by `merkle launch`. If so, calls to Merkle's own tools are allowed without
   * asking at the terminal.
   */
  readonly isLaunched: boolean;
  readonly teams: Pick<PeerSessions, "readers">;
  readonly turn: Turn;
  readonly hooks: HookServer;
  readonly permissions: PermissionWatch;
  readonly extensions: readonly ServerExtension[];
  readonly briefs: Briefs;
  readonly reminder: Pick<Reminder, "prepare">;
  readonly handedOut: DeliveryRecord;
  readonly secretStore: SecretStore;
  readonly render: Renderer;
  /** Called for each hook before it is answered. */
  readonly onHook: (call: HookCall) => void;
  /** Called after a hook has been answered. `isFirst` is true for the client's first hook. */
  readonly onAnswered: (hook: { readonly isFirst: boolean }) => void;
}

export function createHookAnswers(options: HookAnswersOptions): HookAnswers {
  const { client, teams, turn, permissions, briefs, handedOut, secretStore, render } = options;

  async function answer(call: HookCall): Promise<HookAnswer> {
    const isFirst = !turn.hasHooks;
    if (call.agentId === "" && call.event !== "PreToolUse") permissions.stopWatching();
    options.onHook(call);
    if (call.sessionId !== "") handedOut.moveTo(call.sessionId);
    const transcript = needsTranscript(call) ? await handedOut.readTranscript() : undefined;
    const due = await prepareBriefs(call, transcript);
    const result = options.hooks.answer(call, transcript, due, await options.reminder.prepare(call));
    for (const { onHook } of options.extensions) onHook?.(call);
    options.onAnswered({ isFirst });
    return result;
  }

  function needsTranscript(call: HookCall): boolean {
    if (call.event === "PreToolUse") return false;
    return teams.readers().some((team) => team.mail.pending.length > 0 || briefs.needsTranscript(team, call));
  }

  async function prepareBriefs(call: HookCall, transcript: Transcript | undefined): Promise<HookBriefs> {
    const due = new Map<PeerSession, Brief>();
    if (call.agentId !== "") return due;
    for (const team of teams.readers()) {
      const brief = await briefs.prepare(team, call, transcript);
      if (brief) due.set(team, brief);
    }
    return due;
  }

  function answerPermission(fields: JsonFields): ToolAnswer {
    const isAllowed = options.isLaunched && asksInPlanMode(fields);
    if (!isAllowed) permissions.startWatching(fields);
    return { result: render.text(isAllowed ? allowTool : "{}"), settle: ignore };
  }

  /** Handles a turn that an error or a person ended. Nothing is added to it. */
  function endFailedTurn(): void {
    options.hooks.endTurn();
    options.onAnswered({ isFirst: false });
  }

  /** Returns why the edit that a hook announces is refused, or null to allow the edit. */
  function judgeEdit(fields: JsonFields, { sessionId: conversation, agentId }: HookCall): string | null {
    const { session_id: _session, prompt_id: _prompt, tool_use_id: _call, ...content } = fields;
    const edit = { files: client.listEditedFiles?.(fields) ?? [], content, conversation, agentId };
    // Call every extension even if one refuses the edit, because each tracks its own warnings.
    const refusals = options.extensions.map(({ judgeEdit }) => judgeEdit?.(edit) ?? null);
    return refusals.find((each) => each !== null) ?? null;
  }

  return {
    async answerCall(fields, meta) {
      if (client.isDriven) return { result: render.text("{}"), settle: ignore };
      if (fields["event"] === "PermissionRequest") return answerPermission(fields);
      if (fields["event"] === "StopFailure") {
        endFailedTurn();
        return { result: render.text("{}"), settle: ignore };
      }
      const call = parseHookCall(fields);
      const { subagent: agentId = call.agentId } = client.parseCaller?.(meta, call.sessionId) ?? {};
      const { text, toUser, settle } = await answer({ ...call, agentId });
      const refusal = judgeEdit(fields, { ...call, agentId });
      const result = refusal
        ? render.text(toHookRefusal(refusal))
        : render.hook(client, call.event, text, toUser);
      return { result, settle };
    },
    async answerSocket(fields) {
      if (fields["event"] === "StopFailure") {
        endFailedTurn();
        return { text: "", toUser: "", settle: ignore };
      }
      const { text, toUser, settle } = await answer(parseHookCall(fields));
      return { text: secretStore.hide(text), toUser, settle };
    },
    noteTurn({ state, prompt_id: promptId }) {
      if (state !== "interrupted" && state !== "failed") return;
      permissions.stopWatching();
      options.hooks.abandonTurn({ promptId, hasFailed: state === "failed" });
      options.onAnswered({ isFirst: false });
    },
    notePermission(permission) {
      if (permission) permissions.startWatching({ ...permission });
      else permissions.stopWatching();
    },
  };
}

/** Returns the hook output that refuses an edit, in the format of Claude Code and Codex. */
export function toHookRefusal(reason: string): string {
  const hookSpecificOutput = {
    hookEventName: "PreToolUse",
    permissionDecision: "deny",
    permissionDecisionReason: reason,
  };
  return JSON.stringify({ hookSpecificOutput });
}
