import type { Message, WakePath } from "@merkle/wire";
import { nameInLine, neutralise, peerAddress } from "@merkle/wire/text";
import { broughtMail } from "../mail/briefs.js";
import type { PeerSession } from "../peer-sessions.js";
import type { Turn } from "../turn.js";
import { createWaker, type Nudge, type Waker } from "./wake.js";
import type { WakePaths } from "./wake-paths.js";

/** The wakers of all places that this server acts in: there is one client to wake for all of them. */
interface Wakers {
  /** Begins to watch a place's mail; returns how to stop. */
  add(team: PeerSession): () => void;
  /** To be called when something other than mail changed that they go by. */
  look(): void;
  /** Wakes the client because somebody asks for it. Resolves with the paths that took it. */
  nudge(team: PeerSession, by: string): Promise<WakePath[]>;
}

interface WakersOptions {
  readonly paths: WakePaths;
  readonly turn: Turn;
  /** Since when the client is idle, in milliseconds of the clock; undefined when it is not, or does not say so. */
  readonly idleSince: () => Promise<number | undefined>;
  readonly mayInterrupt: boolean;
  /** Called when the paths were tried, some of which may turn out not to work. */
  readonly onRun: () => void;
  readonly now: () => number;
}

/** How often an interrupted turn is looked for, while mail waits for its end. */
const lookMs = 500;

export function createWakers(options: WakersOptions): Wakers {
  const { paths, turn, idleSince, mayInterrupt, onRun, now } = options;
  const wakers = new Map<PeerSession, Waker>();
  let watching: ReturnType<typeof setTimeout> | undefined;

  /** No hook tells that a turn was interrupted; but the client became idle then, after the last hook. */
  async function watchTurn(): Promise<void> {
    const { heardAt } = turn;
    const since = await idleSince();
    watching = undefined;
    if (since !== undefined && since > heardAt && turn.heardAt === heardAt) turn.end();
    look();
  }

  function look(): void {
    for (const waker of wakers.values()) waker.look();
  }

  async function run(
    team: PeerSession,
    { number, unread, interrupts }: Nudge,
    by?: string,
  ): Promise<WakePath[]> {
    const line = writeNudge({ number, session: team.slug, unread, by });
    const meta = { session: team.slug, unread: String(unread.length), nudge: String(number) };
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
        send: (nudge) => void run(team, nudge),
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
    async nudge(team, by) {
      const waker = wakers.get(team);
      return waker ? waker.nudge((nudge) => run(team, nudge, by)) : [];
    },
  };
}

interface NudgeLine {
  /** Tells this nudge from every other: clients drop what they have had before. */
  readonly number: number;
  readonly session: string;
  readonly unread: readonly Message[];
  /** The name of whoever asked for the nudge, when no message caused it. */
  readonly by?: string | undefined;
}

const sendersMax = 5;

/** One line that says how much there is to read, from whom and of which keys, and nothing of what they wrote (WAKE-8). */
export function writeNudge({ number, session, unread, by }: NudgeLine): string {
  const asked = by === undefined ? "" : `${nameInLine(by)} asks you to look at your messages. `;
  const line =
    `Merkle nudge ${number}: ${asked}${unread.length} unread in ${session}${sendersOf(unread)}${changedIn(unread)}. ` +
    "If they are not below, read them with check_messages; answer with post_message or send_message, not with SendMessage.";
  return neutralise(line).replace(/\s+/g, " ");
}

function sendersOf(unread: readonly Message[]): string {
  const names = unread.flatMap(({ from }) => (from ? [peerAddress(from.team, from.peer)] : []));
  const senders = [...new Set(names)];
  const more = senders.length > sendersMax ? ` and ${senders.length - sendersMax} more` : "";
  return senders.length === 0 ? "" : `, from ${senders.slice(0, sendersMax).join(", ")}${more}`;
}

/** The keys of state that changed; what they are now stands in the mail. */
function changedIn(unread: readonly Message[]): string {
  const keys = unread.flatMap(({ event, content }) =>
    event === "state_changed" && typeof content["key"] === "string" ? [nameInLine(content["key"])] : [],
  );
  const changed = [...new Set(keys)].slice(0, sendersMax);
  return changed.length === 0 ? "" : `, state of ${changed.join(", ")} changed`;
}
