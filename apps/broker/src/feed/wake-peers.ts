import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import {
  answerNudge,
  type Database,
  deleteNudge,
  findNudge,
  insertNudge,
  type NudgeAnswers,
} from "@merkle/db";
import type { NudgeFrame, WakePath } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import type { Bus } from "../core/bus/bus.js";
import type { Log } from "../core/log.js";
import type { Nodes } from "../core/nodes.js";
import type { LivePeer } from "../sessions/peers/peer.js";
import type { Presence } from "../sessions/peers/presence.js";

/** The wake paths that have run, by peer id. */
export type WakePathsByPeer = ReadonlyMap<string, readonly WakePath[]>;

/** Runs the wake paths of peers on every node (NUDGE-1). */
export interface WakePeers {
  /** Resolves once every client has reported the wake paths it ran, or after a timeout. */
  wake(request: NudgeRequest, signal: AbortSignal): Promise<WakePathsByPeer>;
  stop(): void;
}

interface NudgeRequest {
  readonly sessionId: string;
  readonly peerIds: readonly string[];
  readonly by: NudgeFrame["by"];
}

/** A nudge that this node has stored for the other nodes, some of which have not answered yet. */
interface StoredNudge {
  /** Reads the answers from the nudge's row. */
  check(): Promise<void>;
}

export function createWakePeers(options: {
  readonly database: Pick<Database, "orm">;
  readonly bus: Bus;
  readonly nodes: Pick<Nodes, "id" | "others">;
  readonly presence: Pick<Presence, "find">;
  readonly log: Log;
}): WakePeers {
  const { database, bus, nodes, presence, log } = options;
  const storedNudges = new Map<string, StoredNudge>();
  const answering = new Set<string>();
  const stopping = new AbortController();

  async function wakeHere(
    { sessionId, peerIds, by }: NudgeRequest,
    signal: AbortSignal,
  ): Promise<WakePathsByPeer> {
    const here = peerIds.flatMap((peerId) => presence.find(peerId) ?? []);
    const reached = await Promise.all(here.map((peer) => wakePeer(peer, { sessionId, by }, signal)));
    return new Map(here.map(({ peerId }, at) => [peerId, reached[at] ?? []]));
  }

  /**
   * Stores a nudge, from which the other nodes read which peers to wake. Returns the wake paths that these
   * nodes ran.
   */
  async function wakeElsewhere(
    { sessionId, peerIds, by }: NudgeRequest,
    signal: AbortSignal,
  ): Promise<WakePathsByPeer> {
    const askedNodes = [...nodes.others].filter((node) => bus.isReceivingFrom(node));
    if (!bus.isUp || askedNodes.length === 0) return new Map();
    const id = randomUUID();
    const nudge = { nudgeId: id, sessionId, byName: by.name, byHuman: by.human, peerIds };
    let answers: NudgeAnswers = {};
    try {
      await insertNudge(database.orm, nudge);
      const answered = new Promise<void>((done) => {
        storedNudges.set(id, {
          async check() {
            answers = (await findNudge(database.orm, id))?.answers ?? answers;
            if (askedNodes.every((node) => node in answers)) done();
          },
        });
      });
      bus.publish("nudge", { id });
      await withNudgeTimeout(answered, undefined, signal);
      return toWakePaths(answers);
    } finally {
      storedNudges.delete(id);
      await deleteNudge(database.orm, id);
    }
  }

  async function answer(id: string): Promise<void> {
    const nudge = await findNudge(database.orm, id);
    // Ignores a nudge that this node has already answered or is answering, or that was deleted because its
    // caller stopped waiting.
    if (!nudge || nodes.id in nudge.answers || answering.has(id)) return;
    answering.add(id);
    try {
      const { sessionId, peerIds, byName: name, byHuman: human } = nudge;
      const reached = await wakeHere({ sessionId, peerIds, by: { name, human } }, stopping.signal);
      await answerNudge(database.orm, id, nodes.id, Object.fromEntries(reached));
      bus.publish("nudged", { id });
    } finally {
      answering.delete(id);
    }
  }

  bus.on("nudge", ({ id }) => {
    // The promise is not awaited, so that the bus does not wait for the woken clients.
    answer(id).catch((error: unknown) =>
      log.warn("a nudge of another node could not be answered", { error }),
    );
  });
  bus.on("nudged", ({ id }) => storedNudges.get(id)?.check());

  return {
    async wake(request, signal) {
      const [here, elsewhere] = await Promise.all([
        wakeHere(request, signal),
        wakeElsewhere(request, signal),
      ]);
      return new Map(
        request.peerIds.map((id) => [
          id,
          [...new Set([...(here.get(id) ?? []), ...(elsewhere.get(id) ?? [])])],
        ]),
      );
    },
    stop: () => stopping.abort(),
  };
}

function toWakePaths(answers: NudgeAnswers): WakePathsByPeer {
  const reached = new Map<string, WakePath[]>();
  for (const [peerId, paths] of Object.values(answers).flatMap((each) => Object.entries(each))) {
    // The answers were written by nodes that run the same version, so the paths are valid.
    reached.set(peerId, [...(reached.get(peerId) ?? []), ...(paths as WakePath[])]);
  }
  return reached;
}

async function wakePeer(
  peer: LivePeer,
  { sessionId, by }: Pick<NudgeRequest, "sessionId" | "by">,
  signal: AbortSignal,
): Promise<readonly WakePath[]> {
  const waits = [...peer.waits];
  for (const wait of waits) wait.expire();
  const answers = await Promise.all(
    [...peer.holders].map((holder) =>
      withNudgeTimeout(
        holder.nudge({ type: "nudge", id: randomUUID(), session_id: sessionId, by }),
        [],
        signal,
      ),
    ),
  );
  return [...new Set([...(waits.length > 0 ? (["wait"] as const) : []), ...answers.flat()])];
}

/** Returns `none` if the answer does not arrive in time. */
async function withNudgeTimeout<Answer>(
  answer: Promise<Answer>,
  none: Answer,
  signal: AbortSignal,
): Promise<Answer> {
  const answered = new AbortController();
  const tooLate = delay(limits.nudgeAnswerMsMax, none, {
    signal: AbortSignal.any([answered.signal, signal]),
  }).catch(() => none);
  try {
    return await Promise.race([answer, tooLate]);
  } finally {
    answered.abort();
  }
}
