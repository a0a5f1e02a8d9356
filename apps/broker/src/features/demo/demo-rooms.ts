import { setTimeout as pause } from "node:timers/promises";
import { MerkleError, type OutputOf, type ParsedInputOf, type PresentTeam } from "@merkle/wire";
import type { Log } from "../../core/log.js";
import { createTurns } from "../../core/turns.js";
import type { Context } from "../../sessions/context.js";
import type { CallInside } from "../../transports/call-inside.js";
import { playRoom } from "./play-room.js";
import type { DemoRoom, DemoRooms, DemoServices } from "./services.js";
import { session } from "./story.js";

/** The mesh that contains demo rooms, separate from the users' meshes. */
export const demoMeshName = "demo";

export interface DemoRoomsOptions {
  /** Creates the demo mesh if it does not exist, and enters it. */
  readonly enter: () => Promise<DemoMesh>;
  readonly log: Log;
  readonly stopping: AbortSignal;
  /**
   * Factor by which the demo agents are slowed down. At 1, they ask the visitor their question after half a
   * minute.
   */
  readonly pace: number;
}

/** The demo mesh, as this node sees it. */
export interface DemoMesh {
  /** Calls an operation in the mesh. */
  readonly call: CallInside;
  /** Whether other nodes are running, which may have opened a room. */
  readonly hasOtherNodes: boolean;
  /** Runs work that no other node runs at the same time. */
  runAlone<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Whether a session has readers. */
  isWatched(sessionId: string): boolean;
}

const creatorTeam = "Atlas";
const pollIntervalMs = 250;
/** If no reader opens the demo room within this time, the agents do not start. */
const watchedWithinMs = 60_000;
const answerWithinMs = 30 * 60_000;

/**
 * Creates the broker's single demo room, with scripted agents in it. The room ends when the session is
 * concluded or the broker stops. If no visitor answers, the agents reach a conclusion by themselves.
 */
export function createDemoRooms({ enter, log, stopping, pace }: DemoRoomsOptions): DemoRooms {
  /** The sessions whose agents this node plays. */
  const playing = new Set<string>();
  // Callers wait for each other in memory, so that they do not all hold a connection to the database.
  const runInTurn = createTurns();

  /**
   * Returns the newest room, if its agents are there. A room of another node is over once its agents count as
   * disconnected, because the node may have stopped without concluding the session.
   */
  async function findRoom({ call, hasOtherNodes }: DemoMesh): Promise<DemoRoom | null> {
    const newest = { status: "active", query: session.title, sort: "created", limit: 1 } as const;
    const [room] = (await call("list_sessions", newest, stopping)).sessions;
    if (!room) return null;
    const isPlayedElsewhere = ({ team_name, status }: PresentTeam) =>
      team_name === creatorTeam && status !== "disconnected";
    const isOpen = playing.has(room.session_id) || (hasOtherNodes && room.present.some(isPlayedElsewhere));
    return isOpen ? { session_id: room.session_id, session: room.slug } : null;
  }

  async function begin({ call, isWatched }: DemoMesh): Promise<DemoRoom> {
    const opened = await call("create_session", { ...session, creator_team_name: creatorTeam }, stopping);
    const { session_id, slug, team_id: atlas } = opened;
    playing.add(session_id);
    const play = async () => {
      if (await waitUntilWatched(() => isWatched(session_id)))
        await playRoom({ call, session_id, atlas, pace, answerWithinMs, signal: stopping });
    };
    play()
      .catch((error: unknown) => {
        // Visitors may hold or conclude the session, and the agents then simply stop.
        if (!stopping.aborted) log.info("the demo room ended early", { session: slug, error });
      })
      .finally(() => playing.delete(session_id));
    return { session_id, session: slug };
  }

  async function waitUntilWatched(isWatched: () => boolean): Promise<boolean> {
    for (const until = Date.now() + watchedWithinMs; !isWatched(); ) {
      if (Date.now() > until) return false;
      await pause(pollIntervalMs, undefined, { signal: stopping });
    }
    return true;
  }

  return {
    async open() {
      const mesh = await enter();
      const findOrBegin = async () => (await findRoom(mesh)) ?? begin(mesh);
      return runInTurn("room", () => mesh.runAlone(findOrBegin));
    },
  };
}

/** Opens the demo room, in a mesh that every caller in open mode can enter (DEMO-6). */
export async function openDemoRoom(
  ctx: Context<DemoServices>,
  _input: ParsedInputOf<"open_demo_room">,
): Promise<OutputOf<"open_demo_room">> {
  // A member has access only to its own mesh, so it cannot enter the demo mesh.
  if (ctx.principal?.kind !== "anyone")
    throw new MerkleError(
      "forbidden",
      "This broker admits only members, and the demo's agents are not members. Run merkle demo, which starts its own broker for them.",
    );
  const earlier = (await ctx.readEarlierResult()) as OutputOf<"open_demo_room"> | undefined;
  if (earlier) return earlier;
  const room = await ctx.services.demoRooms.open();
  return ctx.write(async () => ({ mesh: demoMeshName, ...room }));
}
