import { type Message, wakes } from "@merkle/wire";
import type { HookEvent } from "../../clients/client.js";
import type { Transcript } from "../../clients/transcript.js";
import type { HookCall } from "../hook-call.js";
import { resyncNotice } from "../inbox.js";
import { type Brief, broughtMail, isSetAside } from "../mail/briefs.js";
import type { PeerSession, PeerSessions } from "../peer-sessions.js";
import type { Turn } from "../turn.js";
import { breaksThrough } from "../what-wakes.js";
import { announceMail, fitInHook, type HookMail, introduce, showMail, writeMail } from "./hook-text.js";
import type { StatusReporter } from "./status-reporter.js";

/** Answers the hooks that a client runs: at a prompt, between two steps and at the end of a turn (WAKE-3). */
export interface HookServer {
  /** @param transcript - the client's record of the conversation, where there is one that is understood */
  answer(call: HookCall, transcript?: Transcript, briefs?: HookBriefs): HookAnswer;
  /** An error ended the turn, so that no `Stop` hook runs. The client ignores what this hook returns. */
  endTurn(): void;
}

/** The briefs that are due at a hook, by the places for which they are. */
export type HookBriefs = ReadonlyMap<PeerSession, Brief>;

export interface HookAnswer {
  /** The text for the model, or empty. */
  readonly text: string;
  /** What the person at the terminal sees of it, or empty. */
  readonly toUser: string;
  /** Tells whether the answer was written to the client. */
  settle(written: boolean): void;
}

interface HookServerOptions {
  readonly teams: Pick<PeerSessions, "readers">;
  readonly turn: Turn;
  readonly status: StatusReporter;
  /** The conversation that reads is another from now on. */
  readonly onConversation: (sessionId: string) => void;
  /** Evidence for what was offered before was noted. */
  readonly onProof: (team: PeerSession) => void;
}

const nothing: HookAnswer = { text: "", toUser: "", settle: () => undefined };
const noBriefs: HookBriefs = new Map();

export function createHookServer({
  teams,
  turn,
  status,
  onConversation,
  onProof,
}: HookServerOptions): HookServer {
  /** In the order of time: what was offered before the hook, then what it offers itself. */
  function answerMain(call: HookCall, transcript: Transcript | undefined, briefs: HookBriefs): HookAnswer {
    const readers = teams.readers();
    for (const team of readers) {
      team.mail.prove({ by: "hook", prompt: call.promptId });
      onProof(team);
    }
    const answer = call.event === "PreToolUse" ? nothing : deliver(readers, call, { transcript, briefs });
    if (call.event === "Stop" && answer.text === "") endTurn();
    else for (const team of readers) status.tell(team, "working");
    return answer;
  }

  function endTurn(): void {
    turn.end();
    for (const team of teams.readers()) status.tell(team, "idle");
  }

  return {
    answer(call, transcript, briefs = noBriefs) {
      const { isNewConversation, isQueued } = turn.hook(call);
      if (call.agentId !== "" || isQueued) return nothing;
      if (isNewConversation) {
        for (const team of teams.readers()) {
          team.mail.startOver();
          team.introduced = false;
          team.hasSeenOpenWork = false;
        }
        onConversation(call.sessionId);
      }
      return answerMain(call, transcript, briefs);
    },
    endTurn,
  };
}

function deliver(
  readers: readonly PeerSession[],
  { event, promptId }: HookCall,
  { transcript, briefs }: { transcript: Transcript | undefined; briefs: HookBriefs },
): HookAnswer {
  const answers: HookAnswer[] = [];
  let charsUsed = 0;
  for (const team of readers) {
    // A compaction takes away what was told before; only the record shows it.
    const isIntroduced = transcript ? transcript.says(introduce(team)) : team.introduced;
    const frame = { isIntroduced, isAlone: readers.length === 1 };
    const brief = briefs.get(team);
    if (brief) answers.push(give(team, brief));
    charsUsed += brief?.text.length ?? 0;
    const answer = deliverFor(team, { event, prompt: promptId, charsUsed, frame, brief });
    charsUsed += answer.text.length;
    if (answer.text !== "") answers.push(answer);
  }
  return {
    text: answers.map(({ text }) => text).join("\n"),
    toUser: answers.flatMap(({ toUser }) => (toUser === "" ? [] : [toUser])).join("\n"),
    settle: (written) => {
      for (const answer of answers) answer.settle(written);
    },
  };
}

function give(team: PeerSession, { text, given }: Brief): HookAnswer {
  return {
    text,
    toUser: "",
    settle: (written) => {
      if (written) team.brief = given;
    },
  };
}

interface Delivering {
  readonly event: HookEvent;
  readonly prompt: string;
  readonly charsUsed: number;
  readonly frame: Pick<HookMail, "isIntroduced" | "isAlone">;
  /** A text that is given before it. */
  readonly brief: Brief | undefined;
}

function deliverFor(team: PeerSession, { event, prompt, charsUsed, frame, brief }: Delivering): HookAnswer {
  const given = brief?.given ?? team.brief;
  const upTo = lastToDeliver(team.declared, event, broughtMail(team, given));
  if (upTo === undefined) return nothing;
  const fits = fitInHook(charsUsed);
  const offer = team.mail.offer(
    { by: "hook", prompt },
    (message) => message.sequence <= upTo && fits(message),
    (message) => isSetAside(message, given),
  );
  const pending = broughtMail(team, given);
  if (!offer) return announceOnce(team, pending);
  const version = team.document.heard > team.document.told ? team.document.heard : undefined;
  const wasResynced = team.resynced;
  const { warning } = team;
  const notices = [wasResynced ? resyncNotice : undefined, warning].filter((each) => each !== undefined);
  const text = writeMail({
    team,
    ...frame,
    offer,
    remaining: pending.length,
    documentVersion: version,
    notice: notices.length > 0 ? notices.join("\n") : undefined,
    closed: team.closed && team.mail.isDrained,
  });
  return {
    text,
    toUser: showMail(offer.messages),
    settle: (written) => {
      offer.settle(written);
      if (!written) return;
      team.introduced = true;
      team.document.told = Math.max(team.document.told, version ?? 0);
      if (wasResynced) team.resynced = false;
      if (team.warning === warning) team.warning = undefined;
    },
  };
}

/**
 * The last message that the event hands over, or undefined for none. A prompt takes along whatever there is; for the rest
 * there must be something that is worth it, and for who does not want to be disturbed, something that breaks through.
 */
function lastToDeliver(
  declared: PeerSession["declared"],
  event: HookEvent,
  pending: readonly Message[],
): number | undefined {
  if (declared === "dnd") return pending.findLast(breaksThrough)?.sequence;
  const isWorthIt = event === "UserPromptSubmit" || pending.some(wakes);
  return isWorthIt ? pending.at(-1)?.sequence : undefined;
}

/** Announces messages that are too long for a hook, once: announced at each end of a turn, they would keep it from ending. */
function announceOnce(team: PeerSession, pending: readonly Message[]): HookAnswer {
  const last = pending.at(-1)?.sequence ?? 0;
  if (last <= team.announced) return nothing;
  return {
    text: announceMail(team, pending.length),
    toUser: "",
    settle: (written) => {
      if (written) team.announced = Math.max(team.announced, last);
    },
  };
}
