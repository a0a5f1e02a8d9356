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
  readonly documentTimes: readonly number[];
  /** Called on each step, because the speed can change during the replay. */
  readonly getSpeed: () => ReplaySpeed;
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
  const { replay, from, to, documentTimes, getSpeed, signal, onEnd } = options;
  const upcoming = readAhead(options);
  const anchor = replay.toAnchor(from) ?? from;
  let moment = replay.findAt(from)?.moment ?? Date.parse(from);
  let skippedMs = 0;
  let before = performance.now();

  const publishState = (isPlaying: boolean) => {
    const lastWrite = documentTimes.findLast((at) => at <= moment && at > Date.parse(anchor));
    const documentAt = lastWrite === undefined ? anchor : new Date(lastWrite).toISOString();
    replay.set({ anchor, moment, documentAt, skippedMs, isPlaying });
  };
  publishState(true);

  const timer = setInterval(() => {
    const now = performance.now();
    const target = moment + (now - before) * getSpeed();
    before = now;
    // A period whose messages are not loaded yet cannot be skipped.
    const loadedUntil = upcoming.getLoadedUntil();
    const next = Math.min(upcoming.getNextTime() ?? to, documentTimes.find((at) => at > moment) ?? to, to);
    const isIdle = next - target > idleMsMax * getSpeed() && next <= loadedUntil;
    const reached = isIdle ? next - (idleMsMax / 2) * getSpeed() : target;
    if (isIdle) skippedMs = reached - moment;
    moment = Math.max(moment, Math.floor(Math.min(reached, loadedUntil, to)));
    if (upcoming.take(moment)) skippedMs = 0;
    publishState(true);
    if (moment >= to) {
      clearInterval(timer);
      onEnd();
    }
  }, stepMs);
  signal.addEventListener("abort", () => {
    clearInterval(timer);
    if (replay.getState()?.anchor === anchor) publishState(false);
  });
}

/** Loads the messages that follow the last message in the feed, ahead of the replay. */
function readAhead({ broker, replay, sessionId, to, signal, onError }: PlayOptions) {
  let queue: Message[] = [];
  let lastSequence: number | null = null;
  let isComplete = false;
  let isReading = false;

  async function read(after: number): Promise<void> {
    isReading = true;
    try {
      const input = { session_id: sessionId, after_cursor: after, limit: pageMessages };
      const page = await broker.call("get_history", input, { signal });
      queue.push(...page.messages);
      lastSequence = page.messages.at(-1)?.sequence ?? after;
      isComplete = page.newer_cursor === null;
    } catch (error) {
      if (!signal.aborted) onError(error);
    }
    isReading = false;
  }

  return {
    getNextTime: () => (queue[0] === undefined ? null : Date.parse(queue[0].posted_at)),
    /** Returns the time up to which all messages are loaded. */
    getLoadedUntil(): number {
      const end = queue.at(-1);
      if (isComplete) return to;
      return end === undefined ? Number.NEGATIVE_INFINITY : Date.parse(end.posted_at) - 1;
    },
    /** Adds the messages up to a given time to the feed. Returns true if messages were added. */
    take(moment: number): boolean {
      const { follower } = replay;
      if (follower === null) return false;
      if (!isReading && !isComplete && queue.length < pageMessages / 2)
        void read(lastSequence ?? follower.after);
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
