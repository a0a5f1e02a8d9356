import type { Message } from "@merkle/wire";

/**
 * What has come for one team and has not reached its model yet. Two sources fill it, the pushes of a subscription and the
 * replies of waits, and each message is handed out once, in order, until it is known to have arrived (STDIO-5).
 */
export interface Inbox {
  /** Up to here the model has got everything. */
  readonly place: number;
  readonly size: number;
  /** Whether nothing is left here and, as far as this server knows, at the broker. */
  readonly isDrained: boolean;
  /** Goes on after this cursor, and forgets what has come. */
  restart(place: number): void;
  /** Forgets everything: the numbers of a restored database mean other messages. */
  forget(): void;
  /** Takes what a subscription brings. */
  push(message: Message): void;
  /** Takes the page that a wait from `after` brought, which reaches up to `upTo`. */
  fill(after: number, messages: readonly Message[], upTo: number): void;
  /** Takes the next messages out, as long as `fits` says so; at least one. Null when there is none. */
  takePage(fits: (message: Message) => boolean): Page | null;
  /** Passes over everything up to a cursor that was acknowledged by other means. */
  passUpTo(cursor: number): void;
  /** Resolves when there is something to take, or when no page is under way any more. */
  changed(signal: AbortSignal): Promise<void>;
  /** Whether a page was taken and is not settled. */
  readonly isHandingOut: boolean;
}

export interface Page {
  readonly messages: readonly Message[];
  readonly cursor: number;
  /** Tells what became of it: what did not arrive is handed out again. */
  settle(arrived: boolean): void;
}

interface Entry {
  readonly message: Message;
  readonly chars: number;
}

/** Beyond these, messages stay at the broker, from where a wait brings them when there is room. */
export interface InboxBounds {
  readonly messagesMax: number;
  readonly charsMax: number;
}

const boundsDefault: InboxBounds = { messagesMax: 2_000, charsMax: 2 * 1024 * 1024 };

export function createInbox(place: number, bounds: InboxBounds = boundsDefault): Inbox {
  let queue: Entry[] = [];
  let queuedChars = 0;
  let arrived = place;
  /** Up to here everything is in the queue, under way or arrived: the next message may be queued only if it follows. */
  let known = place;
  /** Up to here the subscription has brought everything that it had to bring. */
  let pushed = 0;
  let pages = new Set<readonly Entry[]>();
  const listeners = new Set<() => void>();

  function announce(): void {
    for (const listener of [...listeners]) listener();
  }

  /** False when there is no room. */
  function enqueue(message: Message): boolean {
    if (message.sequence <= known) return true;
    const chars = JSON.stringify(message).length;
    if (queue.length >= bounds.messagesMax || (queue.length > 0 && queuedChars + chars > bounds.charsMax))
      return false;
    queue.push({ message, chars });
    queuedChars += chars;
    known = message.sequence;
    return true;
  }

  function replaceQueue(entries: Entry[]): void {
    queue = entries;
    queuedChars = entries.reduce((sum, { chars }) => sum + chars, 0);
  }

  function restart(cursor: number): void {
    replaceQueue([]);
    pages = new Set();
    arrived = cursor;
    known = cursor;
    announce();
  }

  function settle(page: readonly Entry[], cursor: number, didArrive: boolean): void {
    // After a restart its numbers mean nothing here.
    if (!pages.delete(page)) return;
    if (didArrive) arrived = Math.max(arrived, cursor);
    else replaceQueue([...page, ...queue].sort((a, b) => a.message.sequence - b.message.sequence));
    announce();
  }

  return {
    get place() {
      const waiting = [queue[0], ...[...pages].map(([first]) => first)];
      const first = Math.min(...waiting.map((entry) => entry?.message.sequence ?? Number.POSITIVE_INFINITY));
      return Math.min(arrived, first - 1);
    },
    get size() {
      return queue.length;
    },
    get isDrained() {
      return queue.length === 0 && pushed <= known;
    },
    get isHandingOut() {
      return pages.size > 0;
    },
    restart,
    forget() {
      pushed = 0;
      restart(0);
    },
    push(message) {
      // Something before it did not fit: a wait brings both.
      const follows = pushed <= known;
      pushed = Math.max(pushed, message.sequence);
      if (follows && enqueue(message)) announce();
    },
    fill(after, messages, upTo) {
      if (after > known) return;
      if (messages.every(enqueue)) known = Math.max(known, upTo);
      announce();
    },
    takePage(fits) {
      const [first] = queue;
      if (!first) return null;
      const beyond = queue.findIndex(({ message }, index) => !fits(message) && index > 0);
      const page = beyond === -1 ? queue : queue.slice(0, beyond);
      const cursor = page.at(-1)?.message.sequence ?? first.message.sequence;
      replaceQueue(beyond === -1 ? [] : queue.slice(beyond));
      pages.add(page);
      return {
        messages: page.map(({ message }) => message),
        cursor,
        settle: (didArrive) => settle(page, cursor, didArrive),
      };
    },
    passUpTo(cursor) {
      replaceQueue(queue.filter(({ message }) => message.sequence > cursor));
      arrived = Math.max(arrived, cursor);
      known = Math.max(known, cursor);
    },
    changed(signal) {
      return new Promise((resolve) => {
        const done = () => {
          listeners.delete(done);
          signal.removeEventListener("abort", done);
          resolve();
        };
        listeners.add(done);
        signal.addEventListener("abort", done);
        if (signal.aborted) done();
      });
    },
  };
}
