import type { Message } from "@merkle/wire";
import type { Broker } from "@/broker/broker";
import type { Replay, ReplaySpeed } from "@/feed/store/replay";

export interface PlayOptions {
  readonly broker: Pick<Broker, "call">;
  readonly replay: Replay;
  readonly sessionId: string;
  /** The time from the URL at which the replay starts. */
  readonly from: string;
  /** The time at which the replay ends. */
  readonly to: number;
  /** The times at which the document was written, in order. */
  readonly writtenAt: readonly number[];
  /** Called on each step, because the speed can change during the replay. */
  readonly speed: () => ReplaySpeed;
  readonly signal: AbortSignal;
  /** Called at the end of the replay. */
  readonly onEnd: () => void;
  readonly onError: (error: unknown) => void;
}

const stepMs = 100;
/** The longest pause that is replayed. The rest of a longer pause is skipped. */
const idleMsMax = 1_200;
const pageMessages = 200;

/** Replays a session from a given time at the chosen speed. Messages appear in the feed as the replay reaches them. */
export function play(options: PlayOptions): void {
  const { replay, from, to, writtenAt, speed, signal, onEnd } = options;
  const coming = readAhead(options);
  const anchor = replay.anchorOf(from) ?? from;
  let moment = replay.of(from)?.moment ?? Date.parse(from);
  let skippedMs = 0;
  let before = performance.now();

  const tell = (isPlaying: boolean) => {
    const written = writtenAt.findLast((at) => at <= moment && at > Date.parse(anchor));
    const documentAt = written === undefined ? anchor : new Date(written).toISOString();
    replay.set({ anchor, moment, documentAt, skippedMs, isPlaying });
  };
  tell(true);

  const timer = setInterval(() => {
    const now = performance.now();
    const wanted = moment + (now - before) * speed();
    before = now;
    // A period whose messages are not loaded yet cannot be skipped.
    const known = coming.knownUntil();
    const next = Math.min(coming.nextAt() ?? to, writtenAt.find((at) => at > moment) ?? to, to);
    const isIdle = next - wanted > idleMsMax * speed() && next <= known;
    const reached = isIdle ? next - (idleMsMax / 2) * speed() : wanted;
    if (isIdle) skippedMs = reached - moment;
    moment = Math.max(moment, Math.floor(Math.min(reached, known, to)));
    if (coming.take(moment)) skippedMs = 0;
    tell(true);
    if (moment >= to) {
      clearInterval(timer);
      onEnd();
    }
  }, stepMs);
  signal.addEventListener("abort", () => {
    clearInterval(timer);
    if (replay.current()?.anchor === anchor) tell(false);
  });
}

/** Loads the messages that follow the last message in the feed, ahead of the replay. */
function readAhead({ broker, replay, sessionId, to, signal, onError }: PlayOptions) {
  let queue: Message[] = [];
  let last: number | null = null;
  let isWhole = false;
  let isReading = false;

  async function read(after: number): Promise<void> {
    isReading = true;
    try {
      const input = { session_id: sessionId, after_cursor: after, limit: pageMessages };
      const page = await broker.call("get_history", input, { signal });
      queue.push(...page.messages);
      last = page.messages.at(-1)?.sequence ?? after;
      isWhole = page.newer_cursor === null;
    } catch (error) {
      if (!signal.aborted) onError(error);
    }
    isReading = false;
  }

  return {
    nextAt: () => (queue[0] === undefined ? null : Date.parse(queue[0].posted_at)),
    /** Returns the time up to which all messages are loaded. */
    knownUntil(): number {
      const end = queue.at(-1);
      if (isWhole) return to;
      return end === undefined ? Number.NEGATIVE_INFINITY : Date.parse(end.posted_at) - 1;
    },
    /** Adds the messages up to a given time to the feed. Returns true if messages were added. */
    take(moment: number): boolean {
      const { follower } = replay;
      if (follower === null) return false;
      if (!isReading && !isWhole && queue.length < pageMessages / 2) void read(last ?? follower.after);
      const due = queue.filter(({ posted_at }) => Date.parse(posted_at) <= moment);
      const newest = due.at(-1);
      if (newest === undefined) return false;
      queue = queue.slice(due.length);
      follower.after = newest.sequence;
      follower.onMessages(due);
      return true;
    },
  };
}
