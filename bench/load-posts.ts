import { randomUUID } from "node:crypto";
import { openLeanSocket } from "./lean-socket.js";
import type { Place } from "./places.js";
import { type Latency, toLatency } from "./statistics.js";
import { messageText } from "./text.js";

export interface PostsQuestion {
  /** Of one broker, or of several that connections take turns at. */
  readonly socketUrls: readonly string[];
  /** The connections are spread over them. */
  readonly places: readonly Place[];
  readonly connections: number;
  readonly inFlightEach: number;
  readonly warmUpMs: number;
  readonly measureMs: number;
}

export interface PostsAnswer extends Latency {
  readonly perSecond: number;
  /** Including those before and after the time that is measured. */
  readonly posts: number;
  /** What this process spent on one post. */
  readonly cpuMicrosecondsEach: number;
}

/** Posts as fast as the answers come, with a fixed number in flight, and times each from its writing to its answer. */
export async function measurePosts(question: PostsQuestion): Promise<PostsAnswer> {
  const { places, connections, inFlightEach, warmUpMs, measureMs } = question;
  const latencies: number[] = [];
  let posts = 0;
  let from = Number.POSITIVE_INFINITY;
  let until = Number.POSITIVE_INFINITY;
  const posters = await Promise.all(
    Array.from({ length: connections }, (_, index) => {
      const place = places[index % places.length];
      const url = question.socketUrls[index % question.socketUrls.length];
      if (!place || url === undefined) throw new Error("There is no session to post to.");
      return openPoster(url, place, (sentAt, answeredAt) => {
        posts += 1;
        if (answeredAt >= from && answeredAt < until) latencies.push(answeredAt - sentAt);
        return answeredAt < until;
      });
    }),
  );

  const cpuBefore = process.cpuUsage();
  from = performance.now() + warmUpMs;
  until = from + measureMs;
  await Promise.all(posters.map((poster) => poster.post(inFlightEach)));
  const cpu = process.cpuUsage(cpuBefore);
  return {
    perSecond: (latencies.length / measureMs) * 1000,
    ...toLatency(latencies),
    posts,
    cpuMicrosecondsEach: (cpu.user + cpu.system) / posts,
  };
}

interface Poster {
  /** Keeps so many in flight, and resolves when the last is answered. */
  post(inFlight: number): Promise<void>;
}

/** As the client makes them. */
function newKey(): string {
  return `${Date.now().toString(16).padStart(12, "0")}-${randomUUID()}`;
}

/** @param onAnswer - says whether to go on */
async function openPoster(
  url: string,
  { session_id, team_id }: Place,
  onAnswer: (sentAt: number, answeredAt: number) => boolean,
): Promise<Poster> {
  const sentAt: number[] = [];
  const input = JSON.stringify({ session_id, team_id, content: { text: messageText } }).slice(0, -1);
  let open = 0;
  let finish: (error?: Error) => void = () => undefined;
  const finished = new Promise<void>((resolve, reject) => {
    finish = (error) => (error ? reject(error) : resolve());
  });

  function post(): void {
    const id = sentAt.length;
    open += 1;
    sentAt.push(performance.now());
    socket.send(
      `{"type":"request","id":${id},"operation":"post_message","input":${input},"idempotency_key":"${newKey()}"}}`,
    );
  }

  const socket = await openLeanSocket(url, (payload) => {
    const reply = readReply(payload);
    if (reply === null) return;
    if (!reply.succeeded) return finish(new Error(payload.toString()));
    open -= 1;
    if (onAnswer(sentAt[reply.id] ?? Number.NaN, performance.now())) post();
    else if (open === 0) finish();
  });
  return {
    async post(inFlight) {
      for (let i = 0; i < inFlight; i += 1) post();
      await finished;
      socket.close();
    },
  };
}

const replyStart = '{"type":"reply","id":';

/** Reads no more of a reply than whose it is: parsing it all would cost more than writing the next post. */
export function readReply(payload: Buffer): { id: number; succeeded: boolean } | null {
  if (payload.toString("latin1", 0, replyStart.length) !== replyStart) return null;
  let at = replyStart.length;
  let id = 0;
  for (let digit = payload[at] ?? 0; digit >= 0x30 && digit <= 0x39; digit = payload[at] ?? 0) {
    id = id * 10 + digit - 0x30;
    at += 1;
  }
  return { id, succeeded: payload.toString("latin1", at, at + 9) === ',"output"' };
}
