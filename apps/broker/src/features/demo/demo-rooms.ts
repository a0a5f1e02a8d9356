import { setTimeout as pause } from "node:timers/promises";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import type { Log } from "../../core/log.js";
import type { Context } from "../../sessions/context.js";
import type { CallInside } from "../../transports/call-inside.js";
import { playRoom } from "./play-room.js";
import type { DemoRoom, DemoRooms, DemoServices } from "./services.js";
import { session } from "./story.js";

/** The mesh that contains demo rooms, separate from the users' meshes. */
export const demoMeshName = "demo";

export interface DemoRoomsOptions {
  /**
   * Creates the demo mesh if it does not exist. Returns a function that calls operations in the mesh, and a
   * function that returns whether a session has readers.
   */
  readonly enter: () => Promise<{ readonly call: CallInside; isWatched(sessionId: string): boolean }>;
  readonly log: Log;
  readonly stopping: AbortSignal;
  /**
   * Factor by which the demo agents are slowed down. At 1, they ask the visitor their question after half a
   * minute.
   */
  readonly pace: number;
}

const pollIntervalMs = 250;
/** If no reader opens the demo room within this time, the agents do not start. */
const watchedWithinMs = 60_000;
const answerWithinMs = 30 * 60_000;

/**
 * Creates the broker's single demo room, with scripted agents in it. The room ends when the session is
 * concluded or the broker stops. If no visitor answers, the agents reach a conclusion by themselves.
 */
export function createDemoRooms({ enter, log, stopping, pace }: DemoRoomsOptions): DemoRooms {
  let currentRoom: Promise<DemoRoom> | null = null;

  async function begin(): Promise<DemoRoom> {
    const { call, isWatched } = await enter();
    const opened = await call("create_session", { ...session, creator_team_name: "Atlas" }, stopping);
    const { session_id, slug, team_id: atlas } = opened;
    const play = async () => {
      if (await waitUntilWatched(() => isWatched(session_id)))
        await playRoom({ call, session_id, atlas, pace, answerWithinMs, signal: stopping });
    };
    play()
      .catch((error: unknown) => {
        // Visitors may hold or conclude the session, and the agents then simply stop.
        if (!stopping.aborted) log.info("the demo room ended early", { session: slug, error });
      })
      .finally(end);
    return { session_id, session: slug };
  }

  function end(): void {
    currentRoom = null;
  }

  async function waitUntilWatched(isWatched: () => boolean): Promise<boolean> {
    for (const until = Date.now() + watchedWithinMs; !isWatched(); ) {
      if (Date.now() > until) return false;
      await pause(pollIntervalMs, undefined, { signal: stopping });
    }
    return true;
  }

  return {
    open() {
      if (currentRoom === null) {
        currentRoom = begin();
        currentRoom.catch(end);
      }
      return currentRoom;
    },
  };
}

/** Opens the demo room, in a mesh that every caller in open mode can enter (DEMO-6). */
export async function openDemoRoom(
  { services, principal }: Context<DemoServices>,
  _input: ParsedInputOf<"open_demo_room">,
): Promise<OutputOf<"open_demo_room">> {
  // A member has access only to its own mesh, so it cannot enter the demo mesh.
  if (principal?.kind !== "anyone")
    throw new MerkleError(
      "forbidden",
      "This broker admits only members, and the demo's agents are not members. Run merkle demo, which starts its own broker for them.",
    );
  return { mesh: demoMeshName, ...(await services.demoRooms.open()) };
}
