import type { WakePath } from "@merkle/wire";
import { listDeliverableMail } from "../mail/briefs.js";
import type { PeerSession } from "../peer-sessions.js";
import type { Turn } from "../turn.js";
import { breaksThrough, findNudgeTime } from "../wake-rules.js";
import type { RosterView } from "./roster-view.js";
import { createWaker, type Nudge, type NudgeDelays, type Waker } from "./wake.js";
import type { WakePaths } from "./wake-paths.js";

/** The wakers of all peers that this server acts as. They share one client. */
export interface Wakers {
  /** Starts watching a peer's inbox. Returns a function that stops watching. */
  add(team: PeerSession): () => void;
  /**
   * Checks again for all peers whether to wake the client. Call when anything except an inbox has changed.
   */
  check(): void;
  /** Wakes the client because someone requested it. Resolves with the wake paths that accepted the nudge. */
  nudge(team: PeerSession): Promise<WakePath[]>;
}

interface WakersOptions {
  readonly paths: WakePaths;
  readonly turn: Turn;
  /**
   * Whether the client ran hooks before it started this server. If so, the server may have started during a
   * turn.
   */
  readonly isRestarted: boolean;
  /**
   * Returns when the client became idle, in milliseconds. Undefined if the client is busy or its state is
   * unknown.
   */
  readonly readIdleSince: () => Promise<number | undefined>;
  /** Returns whether the client itself reports that it is in a turn. */
  readonly isBusy: () => Promise<boolean>;
  readonly roster: RosterView;
  readonly delays: NudgeDelays;
  readonly isInterruptible: boolean;
  /** Called after each use of the wake paths, because some of them may have failed. */
  readonly onRun: () => void;
  /** Called when it turns out that the client cannot reach this server. */
  readonly onUnreached: () => void;
  readonly now: () => number;
}

/** While messages wait for a turn to end, how often to check whether it has ended without a hook. */
const checkIntervalMs = 500;

export function createWakers(options: WakersOptions): Wakers {
  const { paths, turn, isRestarted, readIdleSince, isBusy, roster, delays, isInterruptible } = options;
  const { onRun, onUnreached, now } = options;
  const wakers = new Map<PeerSession, Waker>();
  /** Until when the client counts as in a turn because it has reported so. */
  let busyUntil = 0;
  let watching: ReturnType<typeof setTimeout> | undefined;

  /**
   * Detects an interrupted turn. No hook reports interruptions, but an interrupted client becomes idle some
   * time after the turn's last hook.
   *
   * The client also becomes idle after the hook that ends a turn normally. If the client started this server
   * during the turn, that hook does not reach the server (WAKE-15).
   */
  async function noteIdle(): Promise<void> {
    const { heardAt } = turn;
    const since = await readIdleSince();
    const isOfThisTurn = turn.runsUntil > 0 && turn.heardAt === heardAt;
    if (!isOfThisTurn || turn.isInterrupted || since === undefined || since <= heardAt) return;
    if (!isRestarted || turn.hasPrompt) return turn.interrupt(since);
    onUnreached();
    turn.end();
  }

  async function watchTurn(): Promise<void> {
    await noteIdle();
    watching = undefined;
    check();
  }

  function check(): void {
    for (const waker of wakers.values()) waker.check();
  }

  /**
   * Sends a nudge unless the client is in a turn whose hooks deliver the messages, such as one in which the model
   * thinks or a tool runs for long. A nudge would add nothing to that turn, and makes Codex discard the reply
   * that its model is writing.
   */
  async function send(nudge: Nudge): Promise<boolean> {
    const isUrgent = nudge.unread.some(breaksThrough);
    if (!isUrgent && turn.hasHooks && (await isBusy())) {
      busyUntil = now() + checkIntervalMs;
      return false;
    }
    await run(nudge);
    return true;
  }

  async function run({ number, unread, canInterrupt }: Nudge, isRequested = false): Promise<WakePath[]> {
    const line = formatNudge({ number, unread: unread.length, isRequested });
    const meta = { unread: String(unread.length), nudge: String(number) };
    await noteIdle();
    const reached = await paths.run({ line, meta, canInterrupt });
    onRun();
    return reached;
  }

  return {
    add(team) {
      const waker = createWaker({
        mail: {
          get pending() {
            return listDeliverableMail(team, team.state.conversation.brief);
          },
          listen: team.mail.listen,
        },
        findNudgeTime: (message) => findNudgeTime(message, () => roster.find(team)),
        isDnd: () => team.state.status.declared === "dnd",
        isWaiting: () => team.waits.size > 0,
        getTurnEnd: () => Math.max(turn.runsUntil, busyUntil),
        delays,
        isInterruptible,
        send,
        onTurnAwaited: () => {
          watching ??= setTimeout(() => void watchTurn(), checkIntervalMs).unref();
        },
        now,
      });
      wakers.set(team, waker);
      return () => {
        waker.stop();
        wakers.delete(team);
        clearTimeout(watching);
      };
    },
    check,
    async nudge(team) {
      const waker = wakers.get(team);
      return waker ? waker.nudge((nudge) => run(nudge, true)) : [];
    },
  };
}

interface NudgeLine {
  /** A unique number, because clients drop a line that they have received before. */
  readonly number: number;
  readonly unread: number;
  /** Whether a person or agent requested the nudge. */
  readonly isRequested?: boolean;
}

/**
 * Formats a nudge, which contains only counts. Some clients show the line as if their user had typed it, so
 * it must not contain names chosen by senders (WAKE-8).
 */
export function formatNudge({ number, unread, isRequested = false }: NudgeLine): string {
  return (
    `Merkle nudge ${number}: ${isRequested ? "please check your messages. " : ""}${unread} unread. ` +
    "If they are not below, read them with check_messages; answer with post_message or send_message, not with SendMessage."
  );
}
