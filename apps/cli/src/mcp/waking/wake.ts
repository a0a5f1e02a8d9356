import { type Message, wakes } from "@merkle/wire";
import type { Inbox } from "../inbox.js";
import { breaksThrough, type NudgeTime } from "../wake-rules.js";

/** Wakes the model for messages that are worth a turn, repeatedly until the model reads them. */
export interface Waker {
  /** Checks again whether to wake the model. Call when anything except the inbox has changed. */
  check(): void;
  /**
   * Sends a nudge that someone requested, regardless of unread messages. Resolves with the result of `run`.
   */
  nudge<Path>(run: (nudge: Nudge) => Promise<Path>): Promise<Path>;
  stop(): void;
}

export interface Nudge {
  readonly number: number;
  readonly unread: readonly Message[];
  readonly canInterrupt: boolean;
}

/** The conditions that a waker checks before each decision. */
interface WakerState {
  readonly mail: Pick<Inbox, "pending" | "listen">;
  /** Returns when to nudge the idle model for a message. */
  readonly findNudgeTime: (message: Message) => NudgeTime;
  /** Whether only messages that break through "do not disturb" may wake the peer. */
  readonly isDnd: () => boolean;
  /**
   * Whether a call by the model is blocked waiting for messages. If so, the model gets messages without being
   * woken.
   */
  readonly isWaiting: () => boolean;
  /** Returns when the running turn is expected to end, at which point its hooks deliver messages. */
  readonly getTurnEnd: () => number;
}

interface WakerOptions extends WakerState {
  readonly delays: NudgeDelays;
  /** Whether a message with priority `now` may interrupt a tool that is running. */
  readonly isInterruptible: boolean;
  /**
   * Sends the nudge, unless the model is found to be in a turn, whose hooks deliver the messages. Resolves with
   * whether it was sent.
   */
  readonly send: (nudge: Nudge) => Promise<boolean>;
  /** Called when messages are only waiting for a turn to end. */
  readonly onTurnAwaited: () => void;
  /** Returns the current time in milliseconds. */
  readonly now: () => number;
}

/** How long messages that need no immediate nudge wait for one, in milliseconds (DELIVER-4). */
export interface NudgeDelays {
  /** For `soon`: the time in which another message usually follows. */
  readonly soonMs: number;
  /** For `after a pause`: how long no such message must have come. */
  readonly pauseMs: number;
  /** For `after a pause`: the maximum time from the first such message to the nudge. */
  readonly pauseMsMax: number;
  /** For `later`. */
  readonly laterMs: number;
}

export const nudgeDelaysDefault: NudgeDelays = {
  soonMs: 5_000,
  pauseMs: 15_000,
  pauseMsMax: 60_000,
  laterMs: 300_000,
};

/**
 * The maximum time that a blocked wait takes to return new messages. If messages are still unread after this
 * time, the wait has ended.
 */
const waitTakesMs = 1_000;
/** Pauses before repeating a nudge. After the last pause, only new messages cause a nudge. */
const repeatPausesMs: readonly number[] = [10_000, 30_000, 90_000, 270_000];

/**
 * Nudges the model when a message is worth waking for, unless the model will get the message anyway: from a
 * blocked wait, or from the hooks of the running turn. One nudge covers all unread messages. While messages
 * stay unread, repeats the nudge a few times, after increasing pauses (WAKE-9, WAKE-10).
 */
export function createWaker(options: WakerOptions): Waker {
  const { mail, delays, isInterruptible, send, now } = options;
  let timer: ReturnType<typeof setTimeout> | undefined;
  // The number of the last nudge. Starts at a number based on the time: the client drops repeated lines, so
  // the numbers must differ from those that an earlier server sent to the same client.
  let lastNumber = Math.floor(Date.now() / 1_000) % 100_000;
  /**
   * State of the current unread messages: when each was first seen, by sequence; how many nudges were sent for
   * them, when the last nudge was sent, and the last message that this nudge covered.
   */
  let seenAt = new Map<number, number>();
  let nudges = 0;
  let nudgedAt = Number.NEGATIVE_INFINITY;
  let nudgedUpTo = 0;

  function listUnread(): readonly Message[] {
    return mail.pending.filter(options.isDnd() ? breaksThrough : wakes);
  }

  function check(): void {
    clearTimeout(timer);
    const unread = listUnread();
    seenAt = new Map(unread.map(({ sequence }) => [sequence, seenAt.get(sequence) ?? now()]));
    const dueAt = findDue(unread);
    if (dueAt === undefined) return;
    timer = setTimeout(fire, Math.max(0, dueAt - now()));
    timer.unref();
  }

  /**
   * Returns when to nudge, or to check again, in the current conditions. While a wait or a turn brings the messages
   * anyway, their nudges are not planned, because that can cost a call to the broker.
   */
  function findDue(unread: readonly Message[]): number | undefined {
    if (unread.length > 0 && options.isWaiting()) return now() + waitTakesMs;
    const isNew = ({ sequence }: Message) => sequence > nudgedUpTo;
    if (unread.some((message) => isNew(message) && breaksThrough(message))) return now();
    const turnEnds = unread.some(breaksThrough) ? 0 : options.getTurnEnd();
    if (unread.length > 0 && now() < turnEnds) {
      options.onTurnAwaited();
      return turnEnds;
    }
    const waking = unread.filter((message) => options.findNudgeTime(message) !== "never");
    if (waking.length > 0) return nudges === 0 ? planFirst(waking) : planRepeat(waking.some(isNew));
    nudges = 0;
    nudgedUpTo = 0;
    return undefined;
  }

  /** Returns when the first nudge for these messages is due: when the first of them needs one. */
  function planFirst(waking: readonly Message[]): number {
    const times = waking.map((message) => ({
      time: options.findNudgeTime(message),
      at: seenAt.get(message.sequence) ?? now(),
    }));
    const chat = times.filter(({ time }) => time === "after a pause");
    const lastChatAt = chat.at(-1)?.at ?? Number.POSITIVE_INFINITY;
    const firstChatAt = chat[0]?.at ?? Number.POSITIVE_INFINITY;
    return Math.min(
      ...times.filter(({ time }) => time === "now").map(({ at }) => at),
      ...times.filter(({ time }) => time === "soon").map(({ at }) => at + delays.soonMs),
      ...times.filter(({ time }) => time === "later").map(({ at }) => at + delays.laterMs),
      lastChatAt + delays.pauseMs,
      firstChatAt + delays.pauseMsMax,
    );
  }

  function planRepeat(hasNew: boolean): number | undefined {
    const pause = repeatPausesMs[nudges - 1];
    if (pause !== undefined) return nudgedAt + pause;
    return hasNew ? nudgedAt + (repeatPausesMs.at(-1) ?? 0) : undefined;
  }

  function fire(): void {
    const unread = listUnread();
    const dueAt = findDue(unread);
    if (dueAt !== undefined && dueAt <= now()) void nudge(unread);
    check();
  }

  async function nudge(unread: readonly Message[]): Promise<void> {
    const earlier = { nudges, nudgedAt, nudgedUpTo };
    nudges += 1;
    nudgedUpTo = unread.at(-1)?.sequence ?? nudgedUpTo;
    const isSent = await send(createNudge(isInterruptible && unread.some(breaksThrough)));
    if (isSent || nudges !== earlier.nudges + 1) return;
    ({ nudges, nudgedAt, nudgedUpTo } = earlier);
    check();
  }

  function createNudge(canInterrupt: boolean): Nudge {
    lastNumber += 1;
    nudgedAt = now();
    return { number: lastNumber, unread: mail.pending, canInterrupt };
  }

  const stopListening = mail.listen(check);
  return {
    check,
    nudge: (run) => run(createNudge(false)),
    stop() {
      clearTimeout(timer);
      stopListening();
    },
  };
}
