import { findMessageKind, type Message } from "@merkle/wire";
import { formatInlineAddress, joinLines, neutralise } from "@merkle/wire/text";
import type { BrokerLink } from "../broker-link.js";
import type { HookCall } from "../hook-call.js";
import type { PeerSession, PeerSessions } from "../peer-sessions.js";
import { breaksThrough } from "../wake-rules.js";
import type { HookAnswer } from "./hook-server.js";

/**
 * Puts an ask to the model once more if the model received it and ends its turn while nobody has replied
 * (WAKE-21). A model that leaves the ask all the same ends its next turn without it.
 */
export interface AskReminder {
  /** Notes a message that arrived for a peer. */
  note(team: PeerSession, message: Message): void;
  /** Returns what to add at a hook, or null. Waits for the broker only if a delivered ask is unchecked. */
  prepare(call: HookCall): Promise<HookAnswer | null>;
  /** Forgets the asks that the model received in the conversation that has ended. */
  startOver(): void;
}

interface AskReminderOptions {
  readonly link: Pick<BrokerLink, "call" | "isOpen">;
  readonly teams: Pick<PeerSessions, "readers">;
}

const timeoutMs = 1_000;
/** Maximum number of asks that one hook puts to the model. The rest follows at the next `Stop`. */
const asksMax = 5;
/** Maximum number of asks to keep for each peer. Older asks are not put to the model again. */
const asksNotedMax = 200;
const textCharsMax = 300;

export function createAskReminder({ link, teams }: AskReminderOptions): AskReminder {
  /**
   * The asks to each peer by sequence. Null if the ask needs no reminder any more. Such an ask stays here,
   * because a wait can return a message that a subscription has already pushed.
   */
  const asksByPeer = new WeakMap<PeerSession, Map<number, Message | null>>();

  function drop(team: PeerSession, asks: readonly Message[]): void {
    for (const { sequence } of asks) asksByPeer.get(team)?.set(sequence, null);
  }

  /** Returns the asks to a peer that are no longer pending, so the model has received them. */
  function listDelivered(team: PeerSession): Message[] {
    const pending = new Set(team.mail.pending.map(({ sequence }) => sequence));
    const asks = [...(asksByPeer.get(team)?.values() ?? [])];
    return asks.flatMap((ask) => (ask === null || pending.has(ask.sequence) ? [] : [ask]));
  }

  function listDue(team: PeerSession): Message[] {
    if (team.isClosed) return [];
    const delivered = listDelivered(team);
    return team.state.status.declared === "dnd" ? delivered.filter(breaksThrough) : delivered;
  }

  async function isOpenAsk(team: PeerSession, { sequence: message }: Message): Promise<boolean> {
    const { sessionId: session_id, credential: team_id } = team;
    try {
      const signal = AbortSignal.timeout(timeoutMs);
      return (await link.call("message_status", { session_id, team_id, message }, { signal })).open;
    } catch {
      // The ask stays in the agent's brief.
      return false;
    }
  }

  /** Returns which of a peer's due asks are still open. The others are not checked again. */
  async function listOpen(team: PeerSession): Promise<readonly Message[]> {
    const due = listDue(team).slice(0, asksMax);
    const checks = await Promise.all(due.map((ask) => isOpenAsk(team, ask)));
    drop(
      team,
      due.filter((_, index) => !checks[index]),
    );
    return due.filter((_, index) => checks[index]);
  }

  return {
    note(team, message) {
      if (message.type !== "chat" || findMessageKind(message) !== "ask") return;
      if (message.to.includes("*") || isOwn(team, message)) return;
      const asks = asksByPeer.get(team) ?? new Map<number, Message | null>();
      if (!asks.has(message.sequence)) asks.set(message.sequence, message);
      const [oldest] = asks.keys();
      if (asks.size > asksNotedMax && oldest !== undefined) asks.delete(oldest);
      asksByPeer.set(team, asks);
    },
    async prepare(call) {
      if (call.event !== "Stop" || call.agentId !== "" || !link.isOpen) return null;
      const open = await Promise.all(
        teams.readers().map(async (team) => ({ team, asks: await listOpen(team) })),
      );
      const text = joinLines(...open.flatMap(({ asks }) => asks.map(formatReminder)));
      if (text === "") return null;
      return {
        text,
        toUser: "",
        settle(isWritten) {
          if (isWritten) for (const { team, asks } of open) drop(team, asks);
        },
      };
    },
    startOver() {
      for (const team of teams.readers()) drop(team, listDelivered(team));
    },
  };
}

function isOwn({ teamId, peerName }: PeerSession, { posted_by_team_id, from }: Message): boolean {
  return posted_by_team_id === teamId && (from?.peer ?? null) === peerName;
}

/** Formats an ask as one line. The quoted text comes from others, so it cannot start a line (TEXT-1). */
function formatReminder({ sequence, from, content }: Message): string {
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
