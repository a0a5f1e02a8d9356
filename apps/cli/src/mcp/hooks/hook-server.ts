import { findOwnAuthor, type Message, wakes } from "@merkle/wire";
import type { Transcript } from "../../clients/transcript.js";
import type { HookCall } from "../hook-call.js";
import { formatNotices } from "../inbox.js";
import { type Brief, isSetAside, listDeliverableMail } from "../mail/briefs.js";
import type { PeerSession, PeerSessions } from "../peer-sessions.js";
import type { Turn } from "../turn.js";
import { breaksThrough } from "../wake-rules.js";
import {
  fitInHook,
  formatAnnouncement,
  formatIntroduction,
  formatMail,
  formatMailForUser,
  type HookMessages,
} from "./hook-text.js";
import type { StatusReporter } from "./status-reporter.js";

/** Answers the client's hooks at a prompt, between steps and at the end of a turn (WAKE-3). */
export interface HookServer {
  /**
   * Answers a hook.
   *
   * @param transcript - the client's transcript of the conversation, if there is one in a supported format
   * @param reminder - what to answer if there is nothing else to add
   */
  answer(
    call: HookCall,
    transcript?: Transcript,
    briefs?: HookBriefs,
    reminder?: HookAnswer | null,
  ): HookAnswer;
  /** Ends a turn that failed with an error and therefore runs no `Stop` hook. */
  endTurn(): void;
  /**
   * Ends a driven client's turn whose prompt was interrupted or failed. A prompt that failed may never have reached
   * the model, so its messages are offered again.
   */
  abandonTurn(turn: { readonly promptId: string; readonly hasFailed: boolean }): void;
}

/** The briefs to deliver at a hook, by peer. */
export type HookBriefs = ReadonlyMap<PeerSession, Brief>;

export interface HookAnswer {
  /** Text to add for the model. Empty if there is nothing to add. */
  readonly text: string;
  /** Text to show to the person at the terminal. Empty if there is nothing to show. */
  readonly toUser: string;
  /**
   * Must be called once the answer has been delivered or lost. `written` says whether it was written to the
   * client.
   */
  settle(isWritten: boolean): void;
}

interface HookServerOptions {
  readonly teams: Pick<PeerSessions, "readers">;
  readonly turn: Turn;
  /**
   * Returns whether a running turn gets the message. If not, the message waits for one that the turn gets, or for
   * the next prompt. Default: every message that wakes.
   */
  readonly isForTurn?: (team: PeerSession, message: Message) => boolean;
  readonly status: StatusReporter;
  /** Called when a different conversation of the client starts to read the messages. */
  readonly onConversation: (sessionId: string) => void;
  /** Called after evidence that the model received earlier messages has been recorded. */
  readonly onProof: (team: PeerSession) => void;
}

const emptyAnswer: HookAnswer = { text: "", toUser: "", settle: () => undefined };
const noBriefs: HookBriefs = new Map();

export function createHookServer({
  teams,
  turn,
  isForTurn = (_, message) => wakes(message),
  status,
  onConversation,
  onProof,
}: HookServerOptions): HookServer {
  /**
   * Answers a hook of the main agent. First records which earlier offers the model has received, and then
   * offers new messages.
   */
  function answerMain(
    call: HookCall,
    transcript: Transcript | undefined,
    briefs: HookBriefs,
    reminder: HookAnswer | null,
  ): HookAnswer {
    const readers = teams.readers();
    for (const team of readers) {
      team.mail.prove({ by: "hook", prompt: call.promptId });
      onProof(team);
    }
    const delivery =
      call.event === "PreToolUse" ? emptyAnswer : deliver(readers, call, { transcript, briefs, isForTurn });
    const answer = delivery.text === "" && reminder ? reminder : delivery;
    if (call.event === "Stop" && answer.text === "") endTurn();
    else for (const team of readers) status.report(team, "working");
    return answer;
  }

  function endTurn(): void {
    turn.end();
    for (const team of teams.readers()) status.report(team, "idle");
  }

  return {
    answer(call, transcript, briefs = noBriefs, reminder = null) {
      const { isNewConversation, isQueued } = turn.recordHook(call);
      if (call.agentId !== "" || isQueued) return emptyAnswer;
      if (isNewConversation) {
        for (const team of teams.readers()) {
          team.mail.startOver();
          team.advance({ type: "conversationStarted" });
        }
        onConversation(call.sessionId);
      }
      return answerMain(call, transcript, briefs, reminder);
    },
    endTurn,
    abandonTurn({ promptId, hasFailed }) {
      for (const team of teams.readers()) {
        team.mail.prove({ by: "hook", prompt: hasFailed ? "" : promptId });
        onProof(team);
      }
      endTurn();
      if (!hasFailed) turn.interrupt();
    },
  };
}

interface DeliveryContext {
  readonly transcript: Transcript | undefined;
  readonly briefs: HookBriefs;
  readonly isForTurn: NonNullable<HookServerOptions["isForTurn"]>;
}

function deliver(
  readers: readonly PeerSession[],
  { event, promptId }: HookCall,
  { transcript, briefs, isForTurn }: DeliveryContext,
): HookAnswer {
  const answers: HookAnswer[] = [];
  let charsUsed = 0;
  for (const team of readers) {
    // A compaction removes earlier explanations from the conversation. Only the transcript shows whether an
    // explanation is left.
    const isIntroduced = transcript
      ? transcript.containsText(formatIntroduction(team))
      : team.state.conversation.isIntroduced;
    const frame = { isIntroduced, isAlone: readers.length === 1 };
    const brief = briefs.get(team);
    if (brief) answers.push(toBriefAnswer(team, brief));
    charsUsed += brief?.text.length ?? 0;
    const isWorth = (message: Message) => event === "UserPromptSubmit" || isForTurn(team, message);
    const answer = deliverFor(team, { prompt: promptId, charsUsed, frame, brief, isWorth });
    charsUsed += answer.text.length;
    if (answer.text !== "") answers.push(answer);
  }
  return {
    text: answers.map(({ text }) => text).join("\n"),
    toUser: answers.flatMap(({ toUser }) => (toUser === "" ? [] : [toUser])).join("\n"),
    settle: (isWritten) => {
      for (const answer of answers) answer.settle(isWritten);
    },
  };
}

function toBriefAnswer(team: PeerSession, { text, given }: Brief): HookAnswer {
  return {
    text,
    toUser: "",
    settle: (isWritten) => {
      if (isWritten) team.advance({ type: "briefChanged", brief: given });
    },
  };
}

interface HookDelivery {
  readonly prompt: string;
  readonly charsUsed: number;
  readonly frame: Pick<HookMessages, "isIntroduced" | "isAlone">;
  /** The brief to deliver before these messages, if any. */
  readonly brief: Brief | undefined;
  /** Returns whether the message is a reason to deliver all pending messages. */
  readonly isWorth: (message: Message) => boolean;
}

function deliverFor(
  team: PeerSession,
  { prompt, charsUsed, frame, brief, isWorth }: HookDelivery,
): HookAnswer {
  const given = brief?.given ?? team.state.conversation.brief;
  const upTo = findLastToDeliver(team, listDeliverableMail(team, given), isWorth);
  if (upTo === undefined) return emptyAnswer;
  const fits = fitInHook(charsUsed);
  const offer = team.mail.offer(
    { by: "hook", prompt },
    (message) => message.sequence <= upTo && fits(message),
    (message) => isSetAside(message, given),
  );
  const pending = listDeliverableMail(team, given);
  if (!offer) return announceOnce(team, pending);
  const { document, notices } = team.state;
  const version = document.latest > document.shown ? document.latest : undefined;
  const lines = formatNotices(notices);
  const text = formatMail({
    team,
    ...frame,
    offer,
    remaining: pending.length,
    documentVersion: version,
    notice: lines.length > 0 ? lines.join("\n") : undefined,
    isClosed: team.isClosed && team.mail.isDrained,
  });
  return {
    text,
    toUser: formatMailForUser(offer.messages),
    settle: (isWritten) => {
      offer.settle(isWritten);
      if (!isWritten) return;
      if (offer.messages.some((message) => findOwnAuthor(message) === undefined))
        team.advance({ type: "introduced" });
      team.advance({ type: "documentShown", version: version ?? 0 });
      team.advance({ type: "noticesShown", notices });
    },
  };
}

/**
 * Returns the last message to deliver, or undefined to deliver nothing. One message that is worth it brings all
 * pending messages. For a `dnd` peer, only messages up to the last one that breaks through are delivered.
 */
function findLastToDeliver(
  { state }: PeerSession,
  pending: readonly Message[],
  isWorth: HookDelivery["isWorth"],
): number | undefined {
  if (state.status.declared === "dnd") return pending.findLast(breaksThrough)?.sequence;
  return pending.some(isWorth) ? pending.at(-1)?.sequence : undefined;
}

/**
 * Announces messages that are too long for a hook, but only once. Announcing them at the end of every turn
 * would prevent the turn from ending.
 */
function announceOnce(team: PeerSession, pending: readonly Message[]): HookAnswer {
  const last = pending.at(-1)?.sequence ?? 0;
  if (last <= team.state.conversation.announced) return emptyAnswer;
  return {
    text: formatAnnouncement(team, pending.length),
    toUser: "",
    settle: (isWritten) => {
      if (isWritten) team.advance({ type: "announced", upTo: last });
    },
  };
}
