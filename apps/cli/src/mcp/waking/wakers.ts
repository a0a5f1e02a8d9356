import type { WakePath } from "@merkle/wire";
import { broughtMail } from "../mail/briefs.js";
import type { PeerSession } from "../peer-sessions.js";
import type { Turn } from "../turn.js";
import { createWaker, type Nudge, type Waker } from "./wake.js";
import type { WakePaths } from "./wake-paths.js";

/** The wakers of all peers of this server, which share one client. */
export interface Wakers {
  /** Starts to watch a peer's inbox. Returns how to stop. */
  add(team: PeerSession): () => void;
  /** Checks again, because something other than an inbox has changed. */
  look(): void;
  /** Wakes the client on request. Resolves with the wake paths that took the nudge. */
  nudge(team: PeerSession): Promise<WakePath[]>;
}

interface WakersOptions {
  readonly paths: WakePaths;
  readonly turn: Turn;
  /** Whether the client has run hooks before it started this server, which it then may have done during a turn. */
  readonly isRestarted: boolean;
  /** Since when the client is idle, in milliseconds of the clock; undefined if busy or unknown. */
  readonly idleSince: () => Promise<number | undefined>;
  readonly mayInterrupt: boolean;
  /** Called after the wake paths were tried, since some may have failed. */
  readonly onRun: () => void;
  /** Called when the client turns out not to reach this server. */
  readonly onUnreached: () => void;
  readonly now: () => number;
}

/** How often to check for an interrupted turn while messages wait for its end. */
const lookMs = 500;

export function createWakers(options: WakersOptions): Wakers {
  const { paths, turn, isRestarted, idleSince, mayInterrupt, onRun, onUnreached, now } = options;
  const wakers = new Map<PeerSession, Waker>();
  let watching: ReturnType<typeof setTimeout> | undefined;

  /**
   * No hook tells that a turn was interrupted; but the client became idle then, after the last hook. After the hook that ends a
   * turn it becomes idle as well, and nothing was interrupted. That hook does not reach a server that the client started during
   * the turn (WAKE-15).
   */
  async function noteIdle(): Promise<void> {
    const { heardAt } = turn;
    const since = await idleSince();
    const isOfThisTurn = turn.runsUntil > 0 && turn.heardAt === heardAt;
    if (!isOfThisTurn || turn.isInterrupted || since === undefined || since <= heardAt) return;
    if (!isRestarted || turn.hasPrompt) return turn.interrupt(since);
    onUnreached();
    turn.end();
  }

  async function watchTurn(): Promise<void> {
    await noteIdle();
    watching = undefined;
    look();
  }

  function look(): void {
    for (const waker of wakers.values()) waker.look();
  }

  async function run({ number, unread, interrupts }: Nudge, isAsked = false): Promise<WakePath[]> {
    const line = writeNudge({ number, unread: unread.length, isAsked });
    const meta = { unread: String(unread.length), nudge: String(number) };
    await noteIdle();
    const reached = await paths.run({ line, meta, interrupts });
    onRun();
    return reached;
  }

  return {
    add(team) {
      const waker = createWaker({
        mail: {
          get pending() {
            return broughtMail(team, team.brief);
          },
          listen: team.mail.listen,
        },
        isDnd: () => team.declared === "dnd",
        isWaiting: () => team.waits.size > 0,
        turnRunsUntil: () => turn.runsUntil,
        mayInterrupt,
        send: (nudge) => void run(nudge),
        onTurnAwaited: () => {
          watching ??= setTimeout(() => void watchTurn(), lookMs).unref();
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
    look,
    async nudge(team) {
      const waker = wakers.get(team);
      return waker ? waker.nudge((nudge) => run(nudge, true)) : [];
    },
  };
}

interface NudgeLine {
  /** Unique for each nudge: clients drop a line that they have had before. */
  readonly number: number;
  readonly unread: number;
  /** Whether a person or an agent requested the nudge, instead of a message causing it. */
  readonly isAsked?: boolean;
}

/** A line with counts only: some clients show it as their user's text, which must not contain names chosen by senders (WAKE-8). */
export function writeNudge({ number, unread, isAsked = false }: NudgeLine): string {
  return (
    `Merkle nudge ${number}: ${isAsked ? "please check your messages. " : ""}${unread} unread. ` +
    "If they are not below, read them with check_messages; answer with post_message or send_message, not with SendMessage."
  );
}
