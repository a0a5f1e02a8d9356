import { setTimeout as pause } from "node:timers/promises";
import type { InputOf, Message, OutputOf } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import type { CallInside } from "../../transports/call-inside.js";
import {
  blockedOn,
  createOutcome,
  document,
  lines,
  outcomes,
  type StoryOutcome,
  summaries,
  tasks,
  unanswered,
} from "./story.js";

export interface DemoStage {
  readonly call: CallInside;
  readonly session_id: string;
  /** Credential of the team that created the session. */
  readonly atlas: string;
  /** Factor by which the agents are slowed down. */
  readonly pace: number;
  /** How long the agents wait for a visitor's answer, in milliseconds. */
  readonly answerWithinMs: number;
  readonly signal: AbortSignal;
}

/**
 * Plays two agents that argue, ask the visitor, and use the answer to reach a conclusion. Their messages are
 * scripted. Each agent uses only public operations and its own credential, as any other agent would. Returns
 * early if someone else concludes the session.
 */
export async function playRoom(stage: DemoStage): Promise<void> {
  const { call, session_id, signal } = stage;
  const joined = await call("join_session", { session_id, team_name: "Birch" }, signal);
  const [atlas, birch] = [createAgent(stage, stage.atlas), createAgent(stage, joined.team_id)];
  await argue(atlas, birch);
  const answer = await askVisitor(stage, atlas, birch);
  if (answer !== "ended") await playOutcome(stage, atlas, birch, answer);
}

async function argue(atlas: DemoAgent, birch: DemoAgent): Promise<void> {
  await atlas.setSummary(summaries.atlas);
  await birch.setSummary(summaries.birch);
  await atlas.takeTask(tasks.atlas);
  await birch.takeTask(tasks.birch);
  await atlas.say(lines.proposal);
  await birch.say(lines.condition);
  await atlas.write({ content: document.outline, expected_version: 0 });
  await atlas.say(lines.agreement);
  await birch.say(lines.objection);
  await atlas.say(lines.reply);
  await birch.say(lines.refusal);
}

/**
 * Asks the visitor. Returns the outcome that belongs to the answer, or `ended` if the session was concluded.
 */
async function askVisitor(
  { signal, answerWithinMs }: DemoStage,
  atlas: DemoAgent,
  birch: DemoAgent,
): Promise<StoryOutcome | "ended"> {
  await atlas.say(lines.question, { kind: "ask", options: Object.keys(outcomes) }, ["@humans"]);
  await atlas.setStatus("blocked", blockedOn);
  const answered = new AbortController();
  // Birch keeps waiting for messages, as agents do, so it counts as present.
  const listening = birch.listen(AbortSignal.any([signal, answered.signal]), () => false);
  const late = AbortSignal.any([signal, AbortSignal.timeout(answerWithinMs)]);
  const message = await atlas.listen(late, isFromVisitor);
  answered.abort();
  await listening;
  signal.throwIfAborted();
  if (message === "ended") return "ended";
  await atlas.setStatus("working");
  if (message === null) return unanswered;
  const { answer, text } = message.content;
  const words = String(answer ?? text ?? "");
  const outcome = outcomes[words] ?? createOutcome(message.from?.team ?? "you", words);
  await atlas.say(outcome.thanks, {}, undefined, message.sequence);
  return outcome;
}

/** Returns whether a human posted the message. Visitors who are not verified post as guests. */
function isFromVisitor({ from, content }: Message): boolean {
  return from?.human === true || content["guest"] === true;
}

async function playOutcome(
  { call, session_id, signal }: DemoStage,
  atlas: DemoAgent,
  birch: DemoAgent,
  { decision, client, rollout, plan, conclusion }: StoryOutcome,
): Promise<void> {
  await atlas.say(decision, { kind: "decision" });
  await atlas.setSummary(summaries.writing);
  const me = { session_id, team_id: atlas.credential };
  await call("edit_session_doc", { ...me, old_text: document.open, new_text: client }, signal);
  await birch.setSummary(summaries.rollout);
  await birch.say(rollout);
  await call("append_to_session_doc", { session_id, team_id: birch.credential, text: plan }, signal);
  await birch.finishTask("Web and mobile renew on a 401.");
  await atlas.finishTask("Tokens live for 15 minutes.");
  await atlas.think(conclusion);
  await call("conclude_session", { ...me, summary_section: conclusion }, signal);
}

type DemoContent = Pick<InputOf<"post_message">["content"], "kind" | "options">;

interface DemoAgent {
  readonly credential: string;
  think(text: string): Promise<void>;
  /**
   * Reads new messages, pauses as if to think, and posts a message. Returns the sequence of the posted message.
   */
  say(text: string, as?: DemoContent, to?: string[], replyTo?: number): Promise<number>;
  setSummary(summary: string): Promise<void>;
  setStatus(status: "working" | "blocked", reason?: string): Promise<void>;
  takeTask(title: string): Promise<void>;
  finishTask(result: string): Promise<void>;
  write(doc: { content: string; expected_version: number }): Promise<void>;
  /**
   * Waits for a matching message. Returns null if the signal is aborted first, or `ended` if the session is
   * concluded.
   */
  listen(signal: AbortSignal, isWanted: (message: Message) => boolean): Promise<Message | "ended" | null>;
}

const secondsMin = 1;
const charsPerSecond = 130;

function createAgent({ call, session_id, pace, signal }: DemoStage, credential: string): DemoAgent {
  const me = { session_id, team_id: credential };
  let cursor = 0;
  let task: number | null = null;

  async function receive(timeout: number, until: AbortSignal): Promise<OutputOf<"wait_for_messages">> {
    const reply = await call("wait_for_messages", { ...me, since_cursor: cursor, timeout }, until);
    cursor = reply.next_cursor;
    return reply;
  }

  async function think(text: string): Promise<void> {
    const seconds = secondsMin + text.length / charsPerSecond;
    await pause(seconds * pace * 1_000, undefined, { signal });
  }

  return {
    credential,
    think,
    async say(text, as = {}, to, replyTo) {
      await receive(0, signal);
      await think(text);
      const posted = await call(
        "post_message",
        {
          ...me,
          content: { text, ...as },
          ...(to && { to }),
          ...(replyTo !== undefined && { reply_to: replyTo }),
        },
        signal,
      );
      return posted.cursor;
    },
    async setSummary(summary) {
      await call("set_summary", { ...me, summary }, signal);
    },
    async setStatus(status, reason) {
      await call("set_status", { ...me, status, ...(reason !== undefined && { reason }) }, signal);
    },
    async takeTask(title) {
      ({ task } = await call("create_task", { ...me, title }, signal));
      await call("claim_task", { ...me, task }, signal);
    },
    async finishTask(result) {
      if (task !== null) await call("finish_task", { ...me, task, result }, signal);
    },
    async write(doc) {
      await think(doc.content);
      await call("update_session_doc", { ...me, ...doc }, signal);
    },
    async listen(until, isWanted) {
      while (!until.aborted) {
        const reply = await receive(limits.waitSecondsMax, until).catch((error: unknown) => {
          if (until.aborted) return null;
          throw error;
        });
        if (reply === null) return null;
        const message = reply.messages.find(isWanted);
        if (message) return message;
        if (reply.session_closed) return "ended";
      }
      return null;
    },
  };
}
