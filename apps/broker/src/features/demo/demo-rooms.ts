import { setTimeout as pause } from "node:timers/promises";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import type { Log } from "../../core/log.js";
import type { Context } from "../../sessions/context.js";
import type { CallInside } from "../../transports/call-inside.js";
import { playRoom } from "./play-room.js";
import type { DemoRoom, DemoRooms, DemoServices } from "./services.js";
import { session } from "./story.js";

/** The mesh that demo rooms are in, apart from everybody's own. */
export const demoMeshName = "demo";

export interface DemoRoomsOptions {
  /** Makes the demo's mesh where there is none yet; asks for operations in it, and tells whether somebody looks into a session. */
  readonly enter: () => Promise<{ readonly call: CallInside; isLookedAt(sessionId: string): boolean }>;
  readonly log: Log;
  readonly stopping: AbortSignal;
  /** How many times slower than in half a minute the agents come to their question. */
  readonly pace: number;
}

const lookEveryMs = 250;
/** A room that nobody has looked into for so long stays empty. */
const lookedAtWithinMs = 60_000;
const answerWithinMs = 30 * 60_000;

/**
 * The broker's one room in which scripted agents are. It has an end: its conclusion, which the agents come to by themselves where nobody
 * answers, or the broker's own.
 */
export function createDemoRooms({ enter, log, stopping, pace }: DemoRoomsOptions): DemoRooms {
  let living: Promise<DemoRoom> | null = null;

  async function begin(): Promise<DemoRoom> {
    const { call, isLookedAt } = await enter();
    const opened = await call("create_session", { ...session, creator_team_name: "Atlas" }, stopping);
    const { session_id, slug, team_id: atlas } = opened;
    const play = async () => {
      if (await untilLookedAt(() => isLookedAt(session_id)))
        await playRoom({ call, session_id, atlas, pace, answerWithinMs, signal: stopping });
    };
    play()
      .catch((error: unknown) => {
        // Whoever holds or ends the session has that right; the agents then just go.
        if (!stopping.aborted) log.info("the demo room ended early", { session: slug, error });
      })
      .finally(end);
    return { session_id, session: slug };
  }

  function end(): void {
    living = null;
  }

  async function untilLookedAt(isLookedAt: () => boolean): Promise<boolean> {
    for (const until = Date.now() + lookedAtWithinMs; !isLookedAt(); ) {
      if (Date.now() > until) return false;
      await pause(lookEveryMs, undefined, { signal: stopping });
    }
    return true;
  }

  return {
    open() {
      if (living === null) {
        living = begin();
        living.catch(end);
      }
      return living;
    },
  };
}

/** Opens the demo room, in a mesh that whoever is let in everywhere can enter (DEMO-6). */
export async function openDemoRoom(
  { services, principal }: Context<DemoServices>,
  _input: ParsedInputOf<"open_demo_room">,
): Promise<OutputOf<"open_demo_room">> {
  // A member is in one mesh, and this would be another.
  if (principal?.kind !== "anyone")
    throw new MerkleError(
      "forbidden",
      "This broker admits only members, and the demo's agents are not members. Run merkle demo, which starts its own broker for them.",
    );
  return { mesh: demoMeshName, ...(await services.demoRooms.open()) };
}
