import { randomUUID } from "node:crypto";
import { openLeanNats } from "./lean-nats.js";
import { openLeanSocket } from "./lean-socket.js";
import { openLeanStream } from "./lean-stream.js";
import { jetStreamSubject } from "./nats-server.js";
import type { TeamInSession } from "./places.js";
import { type Latency, toLatency } from "./statistics.js";
import { messageText } from "./text.js";

export interface PostsQuestion {
  /**
   * Addresses of one or more brokers, or of Redis or NATS, which are recognised by their URL schemes. Connections are
   * distributed over the addresses.
   */
  readonly socketUrls: readonly string[];
  /** Sessions and credentials to post with. Connections are distributed over them. */
  readonly places: readonly TeamInSession[];
  readonly connections: number;
  readonly inFlightEach: number;
  readonly warmUpMs: number;
  readonly measureMs: number;
}

export interface PostsAnswer extends Latency {
  readonly perSecond: number;
  /** Number of posts, including posts before and after the measured time. */
  readonly posts: number;
  /** CPU time of this process per post. */
  readonly cpuMicrosecondsEach: number;
}

/** Posts as fast as replies arrive, with a fixed number in flight. Measures the time from writing each post to its reply. */
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
  /** Keeps this many posts in flight. Resolves when the last post is answered. */
  post(inFlight: number): Promise<void>;
}

/** A connection that sends posts and receives the replies to them. */
interface Line {
  post(id: number): void;
  close(): void;
}

/** @param error - the message of the server, if it refused the post */
type OnReply = (id: number, error?: string) => void;

/** @param onAnswer - called after each reply. Returns whether to continue */
async function openPoster(
  url: string,
  place: TeamInSession,
  onAnswer: (sentAt: number, answeredAt: number) => boolean,
): Promise<Poster> {
  const sentAt: number[] = [];
  let open = 0;
  let finish: (error?: Error) => void = () => undefined;
  const finished = new Promise<void>((resolve, reject) => {
    finish = (error) => (error ? reject(error) : resolve());
  });

  function post(): void {
    open += 1;
    line.post(sentAt.push(performance.now()) - 1);
  }

  const line = await findOpenLine(url)(url, place, (id, error) => {
    if (error !== undefined) return finish(new Error(error));
    open -= 1;
    if (onAnswer(sentAt[id] ?? Number.NaN, performance.now())) post();
    else if (open === 0) finish();
  });
  return {
    async post(inFlight) {
      for (let i = 0; i < inFlight; i += 1) post();
      await finished;
      line.close();
    },
  };
}

function findOpenLine(url: string): typeof openSocketLine {
  if (url.startsWith("redis:")) return openStreamLine;
  return url.startsWith("nats:") ? openJetStreamLine : openSocketLine;
}

/** Opens a connection to a broker or a reference server. Both reply in any order. */
export async function openSocketLine(
  url: string,
  { session_id, team_id }: TeamInSession,
  onReply: OnReply,
): Promise<Line> {
  const input = JSON.stringify({ session_id, team_id, content: { text: messageText } }).slice(0, -1);
  const socket = await openLeanSocket(url, (payload) => {
    const reply = readReply(payload);
    if (reply !== null) onReply(reply.id, reply.succeeded ? undefined : payload.toString());
  });
  return {
    post: (id) =>
      socket.send(
        `{"type":"request","id":${id},"operation":"post_message","input":${input},"idempotency_key":"${newKey()}"}}`,
      ),
    close: socket.close,
  };
}

/** Creates an idempotency key in the client's format. */
function newKey(): string {
  return `${Date.now().toString(16).padStart(12, "0")}-${randomUUID()}`;
}

/** Opens a connection to a Redis stream that is named after the session. */
async function openStreamLine(url: string, { session_id }: TeamInSession, onReply: OnReply): Promise<Line> {
  let answered = 0;
  const stream = await openLeanStream(url, () => {
    answered += 1;
    onReply(answered - 1);
  });
  return {
    post: () => stream.send("XADD", session_id, "*", "content", messageText),
    close: stream.close,
  };
}

/** Opens a connection to JetStream, which keeps a message under a subject that is named after the session. */
async function openJetStreamLine(
  url: string,
  { session_id }: TeamInSession,
  onReply: OnReply,
): Promise<Line> {
  const nats = await openLeanNats(url, (id, reply) =>
    onReply(id, reply.includes('"error"') ? reply : undefined),
  );
  return {
    post: (id) => nats.request(`${jetStreamSubject}.${session_id}`, id, messageText),
    close: nats.close,
  };
}

const replyStart = '{"type":"reply","id":';

/** Reads only the id and the success of a reply. Parsing the whole reply would cost more than writing the next post. */
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
