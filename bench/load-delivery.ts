import { setTimeout as delay } from "node:timers/promises";
import { openLeanSocket } from "./lean-socket.js";
import { openLeanStream, type Reply } from "./lean-stream.js";
import { openWaiter } from "./lean-waiter.js";
import type { TeamInSession } from "./places.js";
import { type Latency, toLatency } from "./statistics.js";
import { messageText } from "./text.js";

export interface DeliveryQuestion {
  readonly url: string;
  readonly socketUrl: string;
  /** The broker to post to, if it is not the broker that delivers. */
  readonly postUrl?: string;
  readonly way: "websocket" | "long-poll" | "stream";
  readonly poster: TeamInSession;
  /** A session and credential for each receiver. */
  readonly receivers: readonly TeamInSession[];
  /**
   * Pause between the last receipt of a message and the next post. During this pause, polling receivers send their next
   * request.
   */
  readonly pauseMs: number;
  readonly measureMs: number;
}

interface Receiver {
  close(): void;
}

/** Posts one message at a time. Measures the time from writing each post until each receiver gets it. */
export async function measureDelivery(question: DeliveryQuestion): Promise<Latency> {
  const { receivers, pauseMs, measureMs } = question;
  const latencies: number[] = [];
  let sentAt = 0;
  let missing = 0;
  let onAllReceived: () => void = () => undefined;
  const onReceived = () => {
    latencies.push(performance.now() - sentAt);
    missing -= 1;
    if (missing === 0) onAllReceived();
  };

  const open = { websocket: follow, "long-poll": poll, stream: readStream }[question.way];
  const isStream = question.way === "stream";
  const end = isStream ? 0 : await findEnd(question);
  const opened = await Promise.all(receivers.map((place) => open(question, place, onReceived, end)));
  const openOne = isStream ? openAdder : openPoster;
  const poster = await openOne({ ...question, socketUrl: question.postUrl ?? question.socketUrl });
  const warmUp = 10;
  const until = performance.now() + measureMs;
  for (let posts = 0; performance.now() < until; posts += 1) {
    await delay(pauseMs);
    if (posts === warmUp) latencies.length = 0;
    missing = receivers.length;
    const received = new Promise<void>((resolve) => {
      onAllReceived = resolve;
    });
    sentAt = performance.now();
    poster.post(posts);
    await received;
  }
  for (const each of [...opened, poster]) each.close();
  return toLatency(latencies);
}

export async function openPoster({ socketUrl, poster }: Pick<DeliveryQuestion, "socketUrl" | "poster">) {
  const socket = await openLeanSocket(socketUrl, () => undefined);
  const { session_id, team_id } = poster;
  const input = JSON.stringify({ session_id, team_id, content: { text: messageText } });
  return {
    post: (id: number) =>
      socket.send(`{"type":"request","id":${id},"operation":"post_message","input":${input}}`),
    close: socket.close,
  };
}

async function openAdder({ url, poster }: Pick<DeliveryQuestion, "url" | "poster">) {
  const stream = await openLeanStream(url, () => undefined);
  return {
    post: () => stream.send("XADD", poster.session_id, "*", "content", messageText),
    close: stream.close,
  };
}

async function follow(
  { socketUrl }: DeliveryQuestion,
  { session_id }: TeamInSession,
  onReceived: () => void,
): Promise<Receiver> {
  return openFollower(socketUrl, session_id, onReceived);
}

const messageStart = '{"type":"message"';

/** Resolves once the subscription is active. */
export async function openFollower(
  socketUrl: string,
  sessionId: string,
  onReceived: (bytes: number) => void,
): Promise<Receiver> {
  let subscribed: () => void = () => undefined;
  const whenSubscribed = new Promise<void>((resolve) => {
    subscribed = resolve;
  });
  const socket = await openLeanSocket(socketUrl, (payload) => {
    if (payload.toString("latin1", 0, messageStart.length) === messageStart) onReceived(payload.length);
    else if (payload.includes('"last_sequence"')) subscribed();
  });
  socket.send(JSON.stringify({ type: "subscribe", id: 1, kind: "follow", session_id: sessionId }));
  await whenSubscribed;
  return socket;
}

/** Calls `wait_for_messages` repeatedly, on a persistent connection. */
async function poll(
  { url }: DeliveryQuestion,
  place: TeamInSession,
  onReceived: () => void,
  end: number,
): Promise<Receiver> {
  const waiter = await openWaiter(url, place, (cursor) => {
    onReceived();
    waiter.wait(30, cursor);
  });
  waiter.wait(30, end);
  return waiter;
}

/** Repeatedly blocks on the stream until a message follows the last one received. */
async function readStream(
  { url }: DeliveryQuestion,
  { session_id }: TeamInSession,
  onReceived: () => void,
): Promise<Receiver> {
  const read = (after: string) => stream.send("XREAD", "BLOCK", "0", "STREAMS", session_id, after);
  const stream = await openLeanStream(url, (reply) => {
    const [, messages] = listOf(listOf(reply)[0]);
    for (const message of listOf(messages)) {
      onReceived();
      if (message === listOf(messages).at(-1)) read(String(listOf(message)[0]));
    }
  });
  read("$");
  return stream;
}

function listOf(reply: Reply | undefined): readonly Reply[] {
  if (!Array.isArray(reply)) throw new Error(`Redis answered ${JSON.stringify(reply)} instead of a list.`);
  return reply;
}

/**
 * Returns the end of the feed. Only the poster reads the end, because a thousand receivers doing so would take most of
 * the time.
 */
async function findEnd({ url, poster }: DeliveryQuestion): Promise<number> {
  let answered: (cursor: number) => void = () => undefined;
  const waiter = await openWaiter(url, poster, (cursor) => answered(cursor));
  for (let cursor = 0; ; ) {
    const next = await new Promise<number>((resolve) => {
      answered = resolve;
      waiter.wait(0, cursor);
    });
    if (next === cursor) {
      waiter.close();
      return cursor;
    }
    cursor = next;
  }
}
