import { setTimeout as delay } from "node:timers/promises";
import { MerkleError } from "@merkle/wire";
import type { NatsServer } from "../../kit/nats-server.js";
import type { TestNode } from "../start-nodes.js";
import type { CredentialUse, Wake } from "./checker.js";

interface ProbeTarget {
  readonly placed: readonly [{ readonly node: TestNode }, ...{ readonly node: TestNode }[]];
  /** Null if the bus is in PostgreSQL. */
  readonly nats: NatsServer | null;
}

/** The time between a post and the end of a pending wait, in milliseconds. */
export interface WakeLatency {
  readonly probes: number;
  readonly median: number;
  readonly max: number;
}

export function measureSleep(wakes: readonly Wake[], state: Wake["bus"]): WakeLatency {
  const ms = wakes
    .filter(({ bus }) => bus === state)
    .map(({ tookMs }) => tookMs ?? Number.POSITIVE_INFINITY)
    .sort((a, b) => a - b);
  return {
    probes: ms.length,
    median: Math.round(ms[Math.floor(ms.length / 2)] ?? 0),
    max: Math.round(ms.at(-1) ?? 0),
  };
}

/** Calls healthy nodes directly, to check that a post ends a pending wait and that replaced credentials are refused. */
export async function createProbes(
  { placed, nats }: ProbeTarget,
  join: (name: string) => Promise<{ session: string; credential: string; cursor: number }>,
) {
  const wakes: Wake[] = [];
  const uses: CredentialUse[] = [];
  const replaced: { readonly credential: string; readonly at: number }[] = [];
  const nodes = placed.map(({ node }) => node);
  const [{ node: a }, { node: b } = { node: a }] = placed;
  const [sleeper, caller] = [await join("sleeper"), await join("caller")];
  const rotated = await join("rotated");
  let { credential: current } = rotated;
  const { session } = sleeper;

  async function isWell(): Promise<boolean> {
    const answers = await Promise.all(
      nodes.map(async (node) =>
        (await fetch(`${node.url}/health`)).json().then((body) => !Object(body).degraded),
      ),
    ).catch(() => [false]);
    return answers.every(Boolean);
  }

  async function wake(bus: Wake["bus"] = "up"): Promise<void> {
    const { last_sequence: since_cursor } = await a.client.call("get_history", { session_id: session });
    const own = { session_id: session, team_id: sleeper.credential };
    const [woken, posted] = await Promise.all([
      b.client
        .call("wait_for_messages", { ...own, since_cursor, timeout: 20 })
        .then(({ messages }) => ({ messages, at: performance.now() })),
      postToSleeper(),
    ]);
    const isWoken = woken.messages.some(({ sequence }) => sequence === posted.sequence);
    const tookMs = isWoken ? woken.at - posted.at : null;
    wakes.push({ session, sequence: posted.sequence, bus, tookMs });
  }

  async function postToSleeper(): Promise<{ readonly sequence: number; readonly at: number }> {
    for (let tries = 0; tries < 200 && !(await isAsleep()); tries += 1) await delay(10);
    const at = performance.now();
    const { cursor } = await a.client.call("post_message", {
      ...{ session_id: session, team_id: caller.credential },
      content: { text: `probe-${wakes.length} wake up` },
    });
    return { sequence: cursor, at };
  }

  async function isAsleep(): Promise<boolean> {
    const { participants } = await b.client.call("list_participants", { session_id: session });
    return participants.some(({ polling }) => polling);
  }

  /** A bus in PostgreSQL cannot fail without the database, so this probe needs NATS. */
  async function wakeWithoutBus(): Promise<void> {
    if (!nats) return;
    await nats.kill();
    await wake("down").finally(nats.start);
  }

  async function replace(): Promise<void> {
    const own = { session_id: rotated.session, team_id: current };
    const { team_id } = await a.client.call("rotate_team_credential", own);
    replaced.push({ credential: current, at: performance.now() });
    current = team_id;
  }

  async function useReplaced(): Promise<void> {
    for (const { credential, at } of replaced.slice(-5)) {
      for (const node of nodes) {
        const accepted = await node.client
          .call("check_messages", { session_id: rotated.session, team_id: credential })
          .then(
            () => true,
            (error: unknown) => {
              if (error instanceof MerkleError && error.code === "unauthorized") return false;
              throw error;
            },
          );
        uses.push({ session: rotated.session, afterMs: performance.now() - at, accepted });
      }
    }
  }

  return {
    wakes,
    uses,
    /** A failed probe is ignored, because it only shows that a node was not healthy yet. */
    async run(): Promise<void> {
      for (const probe of [useReplaced, wake, replace, wakeWithoutBus]) {
        for (let tries = 0; tries < 100 && !(await isWell()); tries += 1) await delay(100);
        await probe().catch(() => undefined);
      }
    },
  };
}
