import { type Message, wakes } from "@merkle/wire";
import type { Inbox } from "../inbox.js";
import { breaksThrough, isForEveryone } from "../what-wakes.js";

/** Sees to it that a model reads what it is worth waking for. */
export interface Waker {
  /** To be called when something changed that it goes by, other than the mail. */
  look(): void;
  /** Somebody asks for a nudge, whatever there is to read. Resolves with what took it. */
  nudge<Path>(run: (nudge: Nudge) => Promise<Path>): Promise<Path>;
  stop(): void;
}

export interface Nudge {
  readonly number: number;
  readonly unread: readonly Message[];
  readonly interrupts: boolean;
}

/** The facts that a waker goes by, as they are at the moment when they are asked for. */
interface WakerState {
  readonly mail: Pick<Inbox, "pending" | "listen">;
  /** Whether only what breaks through may wake the peer. */
  readonly isDnd: () => boolean;
  /** Whether a call of the model blocks for mail, which it gets without being woken. */
  readonly isWaiting: () => boolean;
  /** Until when a turn is taken to run, at whose end hooks look for mail. */
  readonly turnRunsUntil: () => number;
}

interface WakerOptions extends WakerState {
  /** Whether a message of priority now may end a tool that runs. */
  readonly mayInterrupt: boolean;
  readonly send: (nudge: Nudge) => void;
  /** Called when mail waits for the end of a turn alone. */
  readonly onTurnAwaited: () => void;
  /** The clock, in milliseconds. */
  readonly now: () => number;
}

/** How long after a nudge more mail to everyone waits for the rest of a burst: one turn reads all. */
const coalesceMs = 2_000;
/** A wait is about to take what has come; if it does not, it is not there any more. */
const waitTakesMs = 1_000;
/** After so many nudges in vain only new mail makes another. */
const pausesMs: readonly number[] = [10_000, 30_000, 90_000, 270_000];

/**
 * Nudges as soon as there is mail that is worth it, unless it is read by itself: by a wait that blocks, or by the hooks of
 * the turn that runs. What stays unread is nudged for again, a few times, after growing pauses (WAKE-9, WAKE-10).
 */
export function createWaker(options: WakerOptions): Waker {
  const { mail, mayInterrupt, send, now } = options;
  let timer: ReturnType<typeof setTimeout> | undefined;
  // Those of an earlier server of the same client are not used again, which would drop them.
  let last = Math.floor(Date.now() / 1_000) % 100_000;
  /**
   * The unread messages of now: since when there are any, how often they were nudged for, when any nudge was last, and up to
   * which message.
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

  /** When the next nudge is due, as far as it can be seen now. */
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
