import type { WakePath } from "@merkle/wire";
import { broughtMail } from "../mail/briefs.js";
import type { PeerSession } from "../peer-sessions.js";
import type { Turn } from "../turn.js";
import { createWaker, type Nudge, type Waker } from "./wake.js";
import type { WakePaths } from "./wake-paths.js";

/** The wakers of all places that this server acts in: there is one client to wake for all of them. */
export interface Wakers {
  /** Begins to watch a place's mail; returns how to stop. */
  add(team: PeerSession): () => void;
  /** To be called when something other than mail changed that they go by. */
  look(): void;
  /** Wakes the client because somebody asks for it. Resolves with the paths that took it. */
  nudge(team: PeerSession): Promise<WakePath[]>;
}

interface WakersOptions {
  readonly paths: WakePaths;
  readonly turn: Turn;
  /** Whether the client has run hooks before it started this server, which it then may have done during a turn. */
  readonly isRestarted: boolean;
  /** Since when the client is idle, in milliseconds of the clock; undefined when it is not, or does not say so. */
  readonly idleSince: () => Promise<number | undefined>;
  readonly mayInterrupt: boolean;
  /** Called when the paths were tried, some of which may turn out not to work. */
  readonly onRun: () => void;
  /** Called when the client turns out not to reach this server. */
  readonly onUnreached: () => void;
  readonly now: () => number;
}

/** How often an interrupted turn is looked for, while mail waits for its end. */
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
  /** Tells this nudge from every other: clients drop what they have had before. */
  readonly number: number;
  readonly unread: number;
  /** Whether a person or an agent asked for it, and no message. */
  readonly isAsked?: boolean;
}

/** One line of counts: some clients show it as their user's text, in which no name that a sender chose may stand (WAKE-8). */
export function writeNudge({ number, unread, isAsked = false }: NudgeLine): string {
  return (
    `Merkle nudge ${number}: ${isAsked ? "please check your messages. " : ""}${unread} unread. ` +
    "If they are not below, read them with check_messages; answer with post_message or send_message, not with SendMessage."
  );
}
