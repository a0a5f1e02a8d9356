import { setTimeout as delay } from "node:timers/promises";
import { MerkleError } from "@merkle/wire";
import { connect } from "@merkle/wire/client";
import { WebSocket } from "ws";
import type { AckedPost } from "./checker.js";
import type { Random } from "./random.js";
import { callRest, canRepeat } from "./rest.js";

/** A member of a session, with its credential. */
export interface Member {
  readonly name: string;
  readonly url: string;
  readonly session: string;
  readonly credential: string;
}

/** The shared results of all writers in a run. */
export interface WriterTally {
  readonly acked: AckedPost[];
  inFlight: number;
  /** Number of attempts after the first, across all posts. */
  repeats: number;
  /** Number of `unavailable` replies, keyed by the outcome given in their details. */
  readonly unavailable: Map<string, number>;
  /** Aborted when the run ends, successfully or not. Unanswered calls are abandoned at that point. */
  readonly over: AbortSignal;
  onAck(): void;
  /** Called with an error that was not caused by a fault. */
  onFailure(what: string): void;
}

export interface Writer {
  /** Starts no further posts, and resolves when every started post is acknowledged. */
  stop(): Promise<void>;
}

/** Number of posts that one writer makes concurrently. */
const lanes = 2;

/** Posts over the WebSocket client, which retries automatically. */
export function startWebSocketWriter(member: Member, tally: WriterTally, random: Random): Writer {
  const client = connect({ url: member.url, WebSocket, retry: { capMs: 500 } });
  const writer = startWriter(member, tally, random, async (key, text) => {
    const { cursor } = await client.call(
      "post_message",
      {
        session_id: member.session,
        team_id: member.credential,
        content: { text },
        idempotency_key: key,
      },
      { timeoutMs: Number.POSITIVE_INFINITY, signal: tally.over },
    );
    return cursor;
  });
  return {
    async stop() {
      await writer.stop();
      await client.close();
    },
  };
}

/** Posts over plain HTTP, and retries with the same key until the outcome is known. */
export function startRestWriter(member: Member, tally: WriterTally, random: Random): Writer {
  return startWriter(member, tally, random, (key, text) =>
    untilKnown(tally, async () => {
      const answer = await callRest({
        method: "POST",
        url: `${member.url}/api/sessions/${member.session}/messages`,
        credential: member.credential,
        body: { content: { text }, idempotency_key: key },
      });
      return Number(JSON.parse(answer).cursor);
    }),
  );
}

type Post = (key: string, text: string) => Promise<number>;

function startWriter(member: Member, tally: WriterTally, random: Random, post: Post): Writer {
  let stopping = false;
  let posts = 0;

  async function send(key: string, text: string): Promise<void> {
    tally.inFlight += 1;
    try {
      const sequence = await post(key, text);
      tally.acked.push({ session: member.session, key, sequence, text });
    } finally {
      tally.inFlight -= 1;
    }
    tally.onAck();
  }

  async function write(): Promise<void> {
    while (!stopping) {
      posts += 1;
      const key = `${member.name}-${posts}`;
      const text = `${key} ${"x".repeat(random.between(0, 200))}`;
      // Some posts are sent twice at the same time, as an impatient client would. Others are sent again after their
      // acknowledgement.
      if (random.next() < 0.1) await Promise.all([send(key, text), send(key, text)]);
      else await send(key, text);
      if (random.next() < 0.05) await send(key, text);
    }
  }

  const running = Array.from({ length: lanes }, () =>
    write().catch((error: unknown) => {
      if (!tally.over.aborted) tally.onFailure(`${member.name} was told ${describe(error)}`);
    }),
  );
  return {
    async stop() {
      stopping = true;
      await Promise.all(running);
    },
  };
}

/** Repeats a call until its outcome is known. Retries after `unavailable`, after `too_many_requests` and after a missing reply. */
export async function untilKnown<Result>(
  tally: Pick<WriterTally, "repeats" | "unavailable" | "over">,
  call: () => Promise<Result>,
): Promise<Result> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (!canRepeat(error) || tally.over.aborted) throw error;
      if (error instanceof MerkleError) {
        const outcome = String(error.details["outcome"]);
        tally.unavailable.set(outcome, (tally.unavailable.get(outcome) ?? 0) + 1);
      }
      tally.repeats += 1;
      await delay(Math.min(10 * 2 ** attempt, 200));
    }
  }
}

export function describe(error: unknown): string {
  if (error instanceof MerkleError) return JSON.stringify(error.toBody());
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
