import { findMessageKind, type Message } from "@merkle/wire";
import { formatInlineAddress, joinLines, neutralise } from "@merkle/wire/text";
import type { BrokerLink } from "../broker-link.js";
import type { OpenRequest, ServerExtension } from "../extension.js";
import type { HookCall } from "../hook-call.js";
import type { PeerSession, PeerSessions } from "../peer-sessions.js";
import { breaksThrough } from "../wake-rules.js";
import type { HookAnswer } from "./hook-server.js";

/**
 * Puts an ask, or what an extension finds to be asked, to the model once more if the model received it and ends its
 * turn without a reply (WAKE-21). A model that leaves it all the same ends its next turn without it.
 */
export interface Reminder {
  /** Notes a message that arrived for a peer. */
  note(team: PeerSession, message: Message): void;
  /** Returns what to add at a hook, or null. Waits for the broker only if a delivered request is unchecked. */
  prepare(call: HookCall): Promise<HookAnswer | null>;
  /** Forgets the requests that the model received in the conversation that has ended. */
  startOver(): void;
}

interface ReminderOptions {
  readonly link: Pick<BrokerLink, "call" | "isOpen">;
  readonly teams: Pick<PeerSessions, "readers">;
  readonly extensions: () => readonly Pick<ServerExtension, "findRequest">[];
}

const timeoutMs = 1_000;
/** Maximum number of requests that one hook puts to the model. The rest follows at the next `Stop`. */
const requestsMax = 5;
/** Maximum number of requests to keep for each peer. Older ones are not put to the model again. */
const requestsNotedMax = 200;
const textCharsMax = 300;

/** A message that asks something of a peer. */
interface Noted {
  readonly message: Message;
  readonly request: OpenRequest;
}

interface Due {
  readonly sequence: number;
  readonly text: string;
}

export function createReminder({ link, teams, extensions }: ReminderOptions): Reminder {
  /**
   * The requests to each peer by sequence. Null if the request needs no reminder any more. Such a request stays here,
   * because a wait can return a message that a subscription has already pushed.
   */
  const notedByPeer = new WeakMap<PeerSession, Map<number, Noted | null>>();

  function drop(team: PeerSession, requests: readonly { readonly sequence: number }[]): void {
    for (const { sequence } of requests) notedByPeer.get(team)?.set(sequence, null);
  }

  /** Returns the requests to a peer that are no longer pending, so the model has received them. */
  function listDelivered(team: PeerSession): Noted[] {
    const pending = new Set(team.mail.pending.map(({ sequence }) => sequence));
    const noted = [...(notedByPeer.get(team)?.values() ?? [])];
    return noted.flatMap((each) => (each === null || pending.has(each.message.sequence) ? [] : [each]));
  }

  function listUnchecked(team: PeerSession): Noted[] {
    if (team.isClosed) return [];
    const delivered = listDelivered(team);
    const isDnd = team.state.status.declared === "dnd";
    return (isDnd ? delivered.filter(({ message }) => breaksThrough(message)) : delivered).slice(
      0,
      requestsMax,
    );
  }

  /** Returns which of a peer's requests are still open. The others are not checked again. */
  async function listDue(team: PeerSession): Promise<readonly Due[]> {
    const signal = AbortSignal.timeout(timeoutMs);
    const checks = await Promise.all(
      listUnchecked(team).map(async ({ message: { sequence }, request }) => {
        // If the broker does not answer, the request stays in the agent's brief.
        const text = await request.remind(signal).catch(() => null);
        return { sequence, text };
      }),
    );
    drop(
      team,
      checks.filter(({ text }) => text === null),
    );
    return checks.flatMap(({ sequence, text }) => (text === null ? [] : [{ sequence, text }]));
  }

  function findRequest(team: PeerSession, message: Message): OpenRequest | null {
    if (isAskTo(team, message)) return { remind: (signal) => remindOfAsk(team, message, signal) };
    const requests = extensions().map((each) => each.findRequest?.(team, message) ?? null);
    return requests.find((each) => each !== null) ?? null;
  }

  async function remindOfAsk(
    { sessionId: session_id, credential: team_id }: PeerSession,
    ask: Message,
    signal: AbortSignal,
  ): Promise<string | null> {
    const input = { session_id, team_id, message: ask.sequence };
    const { open } = await link.call("message_status", input, { signal });
    return open ? formatAsk(ask) : null;
  }

  return {
    note(team, message) {
      const request = findRequest(team, message);
      if (request === null) return;
      const noted = notedByPeer.get(team) ?? new Map<number, Noted | null>();
      if (!noted.has(message.sequence)) noted.set(message.sequence, { message, request });
      const [oldest] = noted.keys();
      if (noted.size > requestsNotedMax && oldest !== undefined) noted.delete(oldest);
      notedByPeer.set(team, noted);
    },
    async prepare(call) {
      if (call.event !== "Stop" || call.agentId !== "" || !link.isOpen) return null;
      const open = await Promise.all(
        teams.readers().map(async (team) => ({ team, requests: await listDue(team) })),
      );
      const text = joinLines(...open.flatMap(({ requests }) => requests.map((each) => each.text)));
      if (text === "") return null;
      return {
        text,
        toUser: "",
        settle(isWritten) {
          if (isWritten) for (const { team, requests } of open) drop(team, requests);
        },
      };
    },
    startOver() {
      for (const team of teams.readers())
        drop(
          team,
          listDelivered(team).map(({ message }) => message),
        );
    },
  };
}

/** Returns whether a message asks something of this peer, rather than of everyone. */
function isAskTo(team: PeerSession, message: Message): boolean {
  if (message.type !== "chat" || findMessageKind(message) !== "ask") return false;
  return !message.to.includes("*") && !isOwn(team, message);
}

function isOwn({ teamId, peerName }: PeerSession, { posted_by_team_id, from }: Message): boolean {
  return posted_by_team_id === teamId && (from?.peer ?? null) === peerName;
}

/** Formats an ask as one line. The quoted text comes from others, so it cannot start a line (TEXT-1). */
function formatAsk({ sequence, from, content }: Message): string {
  const author = formatInlineAddress(from?.team ?? "", from?.peer);
  const { text, options } = content;
  const question = shorten(typeof text === "string" ? text : "(private)");
  const choices = Array.isArray(options) ? ` (${shorten(options.join(" | "))})` : "";
  return `Merkle message #${sequence}, an ask to you by ${author}, has no reply: ${JSON.stringify(question)}${choices}. Answer with reply_to ${sequence} and answer, or say why not with reply_to.`;
}

function shorten(text: string): string {
  const line = neutralise(text).replace(/\s+/g, " ").trim();
  return line.length > textCharsMax
    ? `${line.slice(0, textCharsMax).replace(/[\ud800-\udbff]$/, "")}…`
    : line;
}
