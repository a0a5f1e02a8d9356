import { type Message, wakes } from "@merkle/wire";
import type { Inbox } from "../inbox.js";
import { breaksThrough, isForEveryone } from "../what-wakes.js";

/** Wakes the model for messages that are worth a turn, until the model reads them. */
export interface Waker {
  /** Checks again. Call when anything other than the inbox has changed. */
  look(): void;
  /** Sends a requested nudge, regardless of unread messages. Resolves with the result of `run`. */
  nudge<Path>(run: (nudge: Nudge) => Promise<Path>): Promise<Path>;
  stop(): void;
}

export interface Nudge {
  readonly number: number;
  readonly unread: readonly Message[];
  readonly interrupts: boolean;
}

/** The current conditions that a waker checks before each decision. */
interface WakerState {
  readonly mail: Pick<Inbox, "pending" | "listen">;
  /** Whether only messages that break through may wake the peer. */
  readonly isDnd: () => boolean;
  /** Whether a call of the model is blocked waiting for messages, which it gets without being woken. */
  readonly isWaiting: () => boolean;
  /** When the running turn is expected to end. Its hooks deliver messages at that point. */
  readonly turnRunsUntil: () => number;
}

interface WakerOptions extends WakerState {
  /** Whether a message with priority `now` may interrupt a running tool. */
  readonly mayInterrupt: boolean;
  readonly send: (nudge: Nudge) => void;
  /** Called when messages wait only for the end of a turn. */
  readonly onTurnAwaited: () => void;
  /** Returns the current time in milliseconds. */
  readonly now: () => number;
}

/**
 * How long after a nudge further messages to everyone wait for the rest of a burst. One turn can then read
 * them all.
 */
const coalesceMs = 2_000;
/** A blocked wait takes new messages within this time, unless it has ended. */
const waitTakesMs = 1_000;
/** Pauses between repeated nudges. After the last pause, only new messages cause a nudge. */
const pausesMs: readonly number[] = [10_000, 30_000, 90_000, 270_000];

/**
 * Nudges when a message is worth waking for, unless the model will get it anyway: from a blocked wait, or
 * from the hooks of the running turn. Repeats the nudge a few times, after growing pauses, while messages
 * stay unread (WAKE-9, WAKE-10).
 */
export function createWaker(options: WakerOptions): Waker {
  const { mail, mayInterrupt, send, now } = options;
  let timer: ReturnType<typeof setTimeout> | undefined;
  // Starts at a number based on the time. The client drops repeated lines, so the numbers must differ from
  // those of an earlier server of the same client.
  let last = Math.floor(Date.now() / 1_000) % 100_000;
  /**
   * State of the current unread messages: when the first arrived, the number of nudges for them, the time of
   * the last nudge, and the last message it covered.
   */
  let since: number | undefined;
  let nudges = 0;
  let nudgedAt = Number.NEGATIVE_INFINITY;
  let nudgedUpTo = 0;

  function unread(): readonly Message[] {
    return mail.pending.filter(options.isDnd() ? breaksThrough : wakes);
  }

  function look(): void {
    clearTimeout(timer);
    const waking = unread();
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

  /** Returns when the next nudge is due, under the current conditions. */
  function findDue(waking: readonly Message[]): number | undefined {
    if (options.isWaiting()) return now() + waitTakesMs;
    const isNew = ({ sequence }: Message) => sequence > nudgedUpTo;
    if (waking.some((message) => isNew(message) && breaksThrough(message))) return now();
    const planned = planNext(waking.some(isNew), waking.every(isForEveryone));
    const turnEnds = waking.some(breaksThrough) ? 0 : options.turnRunsUntil();
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
    const waking = unread();
    const dueAt = waking.length === 0 ? undefined : findDue(waking);
    if (dueAt !== undefined && dueAt <= now()) {
      const interrupts = mayInterrupt && waking.some(breaksThrough);
      nudges += 1;
      send(next(interrupts));
      nudgedUpTo = waking.at(-1)?.sequence ?? nudgedUpTo;
    }
    look();
  }

  function next(interrupts: boolean): Nudge {
    last += 1;
    nudgedAt = now();
    return { number: last, unread: mail.pending, interrupts };
  }

  const stopListening = mail.listen(look);
  return {
    look,
    nudge: (run) => run(next(false)),
    stop() {
      clearTimeout(timer);
      stopListening();
    },
  };
}
