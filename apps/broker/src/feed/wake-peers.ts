import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { NudgeFrame, WakePath } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import type { Bus } from "../core/bus/bus.js";
import type { Nodes } from "../core/nodes.js";
import type { Peer } from "../sessions/peers/peer.js";
import type { Presence } from "../sessions/peers/presence.js";

/** By peer, the wake paths that were run. */
export type Reached = ReadonlyMap<string, readonly WakePath[]>;

/** Runs the wake paths of peers, at whichever nodes they are (NUDGE-1). */
export interface WakePeers {
  /** Resolves when all have said what they ran, or the time for that is over. */
  wake(asked: NudgeRequest, signal: AbortSignal): Promise<Reached>;
  stop(): void;
}

interface NudgeRequest {
  readonly sessionId: string;
  readonly peerIds: readonly string[];
  readonly by: NudgeFrame["by"];
}

/** A question to the other nodes that is not answered by all of them yet. */
interface Asking {
  readonly unanswered: Set<string>;
  readonly answers: Map<string, WakePath[]>;
  done(): void;
}

export function createWakePeers(options: {
  readonly bus: Bus;
  readonly nodes: Pick<Nodes, "id" | "others">;
  readonly presence: Pick<Presence, "find">;
}): WakePeers {
  const { bus, nodes, presence } = options;
  const asking = new Map<string, Asking>();
  const stopping = new AbortController();

  async function wakeHere({ sessionId, peerIds, by }: NudgeRequest, signal: AbortSignal): Promise<Reached> {
    const here = peerIds.flatMap((peerId) => presence.find(peerId) ?? []);
    const reached = await Promise.all(here.map((peer) => wakePeer(peer, { sessionId, by }, signal)));
    return new Map(here.map(({ peerId }, at) => [peerId, reached[at] ?? []]));
  }

  async function wakeElsewhere(
    { sessionId: session, peerIds: peers, by }: NudgeRequest,
    signal: AbortSignal,
  ): Promise<Reached> {
    const answers = new Map<string, WakePath[]>();
    if (!bus.isUp || nodes.others.size === 0) return answers;
    const id = randomUUID();
    const answered = new Promise<void>((done) => {
      asking.set(id, { unanswered: new Set(nodes.others), answers, done });
    });
    bus.publish("nudge", { id, from: nodes.id, session, peers, by });
    await inNudgeTime(answered, undefined, signal);
    asking.delete(id);
    return answers;
  }

  bus.on("nudge", ({ id, session: sessionId, peers: peerIds, by }) => {
    wakeHere({ sessionId, peerIds, by }, stopping.signal).then(
      (reached) => bus.publish("nudged", { id, node: nodes.id, reached: Object.fromEntries(reached) }),
      () => undefined,
    );
  });
  bus.on("nudged", ({ id, node, reached }) => {
    const question = asking.get(id);
    if (!question?.unanswered.delete(node)) return;
    for (const [peerId, paths] of Object.entries(reached)) {
      question.answers.set(peerId, [...(question.answers.get(peerId) ?? []), ...(paths as WakePath[])]);
    }
    if (question.unanswered.size === 0) question.done();
  });

  return {
    async wake(asked, signal) {
      const [here, elsewhere] = await Promise.all([wakeHere(asked, signal), wakeElsewhere(asked, signal)]);
      return new Map(
        asked.peerIds.map((id) => [
          id,
          [...new Set([...(here.get(id) ?? []), ...(elsewhere.get(id) ?? [])])],
        ]),
      );
    },
    stop: () => stopping.abort(),
  };
}

async function wakePeer(
  peer: Peer,
  { sessionId, by }: Pick<NudgeRequest, "sessionId" | "by">,
  signal: AbortSignal,
): Promise<readonly WakePath[]> {
  const waits = [...peer.waits];
  for (const wait of waits) wait.expire();
  const answers = await Promise.all(
    [...peer.holders].map((holder) =>
      inNudgeTime(holder.nudge({ type: "nudge", id: randomUUID(), session_id: sessionId, by }), [], signal),
    ),
  );
  return [...new Set([...(waits.length > 0 ? (["wait"] as const) : []), ...answers.flat()])];
}

/** Who does not say in time what was run has run nothing that could be told. */
async function inNudgeTime<Answer>(
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
