import { type Message, wakes } from "@merkle/wire";
import type { Inbox } from "../inbox.js";
import { breaksThrough, isForEveryone } from "../wake-rules.js";

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
  /** Whether a message with priority `now` may interrupt a tool that is running. */
  readonly isInterruptible: boolean;
  readonly send: (nudge: Nudge) => void;
  /** Called when messages are only waiting for a turn to end. */
  readonly onTurnAwaited: () => void;
  /** Returns the current time in milliseconds. */
  readonly now: () => number;
}

/**
 * After a nudge, how long further messages to everyone wait for the rest of a burst, so that one turn can
 * read them all.
 */
const coalesceMs = 2_000;
/**
 * The maximum time that a blocked wait takes to return new messages. If messages are still unread after this
 * time, the wait has ended.
 */
const waitTakesMs = 1_000;
/** Pauses before repeating a nudge. After the last pause, only new messages cause a nudge. */
const pausesMs: readonly number[] = [10_000, 30_000, 90_000, 270_000];

/**
 * Nudges the model when a message is worth waking for, unless the model will get the message anyway: from a
 * blocked wait, or from the hooks of the running turn. While messages stay unread, repeats the nudge a few
 * times, after increasing pauses (WAKE-9, WAKE-10).
 */
export function createWaker(options: WakerOptions): Waker {
  const { mail, isInterruptible, send, now } = options;
  let timer: ReturnType<typeof setTimeout> | undefined;
  // The number of the last nudge. Starts at a number based on the time: the client drops repeated lines, so
  // the numbers must differ from those that an earlier server sent to the same client.
  let lastNumber = Math.floor(Date.now() / 1_000) % 100_000;
  /**
   * State of the current unread messages: when the first of them arrived, how many nudges were sent for them,
   * when the last nudge was sent, and the last message that this nudge covered.
   */
  let since: number | undefined;
  let nudges = 0;
  let nudgedAt = Number.NEGATIVE_INFINITY;
  let nudgedUpTo = 0;

  function listUnread(): readonly Message[] {
    return mail.pending.filter(options.isDnd() ? breaksThrough : wakes);
  }

  function check(): void {
    clearTimeout(timer);
    const waking = listUnread();
    if (waking.length === 0) {
      nudges = 0;
      since = undefined;
      nudgedUpTo = 0;
      return;
    }
    since ??= now();
    const dueAt = findDue(waking);
    if (dueAt === undefined) return;
    timer = setTimeout(fire, Math.max(0, dueAt - now()));
    timer.unref();
  }

  /** Returns when the next nudge is due in the current conditions. */
  function findDue(waking: readonly Message[]): number | undefined {
    if (options.isWaiting()) return now() + waitTakesMs;
    const isNew = ({ sequence }: Message) => sequence > nudgedUpTo;
    if (waking.some((message) => isNew(message) && breaksThrough(message))) return now();
    const planned = planNext(waking.some(isNew), waking.every(isForEveryone));
    const turnEnds = waking.some(breaksThrough) ? 0 : options.getTurnEnd();
    if (planned === undefined || planned >= turnEnds) return planned;
    options.onTurnAwaited();
    return turnEnds;
  }

  function planNext(hasNew: boolean, isCommon: boolean): number | undefined {
    if (nudges === 0) return Math.max(since ?? now(), isCommon ? nudgedAt + coalesceMs : 0);
    const pause = pausesMs[nudges - 1];
    if (pause !== undefined) return nudgedAt + pause;
    return hasNew ? nudgedAt + (pausesMs.at(-1) ?? 0) : undefined;
  }

  function fire(): void {
    const waking = listUnread();
    const dueAt = waking.length === 0 ? undefined : findDue(waking);
    if (dueAt !== undefined && dueAt <= now()) {
      const canInterrupt = isInterruptible && waking.some(breaksThrough);
      nudges += 1;
      send(createNudge(canInterrupt));
      nudgedUpTo = waking.at(-1)?.sequence ?? nudgedUpTo;
    }
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
