import { Agent, get } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { openLeanSocket } from "./lean-socket.js";
import type { Place } from "./places.js";
import { type Latency, toLatency } from "./statistics.js";
import { messageText } from "./text.js";

export interface DeliveryQuestion {
  readonly url: string;
  readonly socketUrl: string;
  readonly way: "websocket" | "long-poll";
  readonly poster: Place;
  /** One for each receiver. */
  readonly receivers: readonly Place[];
  /** Between a message's last receipt and the next post; receivers that poll ask again in this time. */
  readonly pauseMs: number;
  readonly measureMs: number;
}

interface Receiver {
  close(): void;
}

/** Posts one message at a time, and times each from its writing to every receipt. */
export async function measureDelivery(question: DeliveryQuestion): Promise<Latency> {
  const { receivers, pauseMs, measureMs } = question;
  const latencies: number[] = [];
  let sentAt = 0;
  let missing = 0;
  let everybodyHasIt: () => void = () => undefined;
  const onReceived = () => {
    latencies.push(performance.now() - sentAt);
    missing -= 1;
    if (missing === 0) everybodyHasIt();
  };

  const open = question.way === "websocket" ? follow : poll;
  const end = await findEnd(question);
  const opened = await Promise.all(receivers.map((place) => open(question, place, onReceived, end)));
  const poster = await openPoster(question);
  const warmUp = 10;
  const until = performance.now() + measureMs;
  for (let posts = 0; performance.now() < until; posts += 1) {
    await delay(pauseMs);
    if (posts === warmUp) latencies.length = 0;
    missing = receivers.length;
    const received = new Promise<void>((resolve) => {
      everybodyHasIt = resolve;
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

async function follow(
  { socketUrl }: DeliveryQuestion,
  { session_id }: Place,
  onReceived: () => void,
): Promise<Receiver> {
  return openFollower(socketUrl, session_id, onReceived);
}

const messageStart = '{"type":"message"';

/** Resolves when the subscription is there. */
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

/** Calls `wait_for_messages` again and again, on a connection that is kept. */
async function poll(
  { url }: DeliveryQuestion,
  { session_id, team_id }: Place,
  onReceived: () => void,
  end: number,
): Promise<Receiver> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let closed = false;
  let cursor = end;
  const polling = async () => {
    while (!closed) {
      cursor = await wait({ url, session_id, team_id, agent }, `timeout=30&since_cursor=${cursor}`);
      onReceived();
    }
  };
  polling().catch((error: unknown) => {
    if (!closed) throw error;
  });
  return {
    close() {
      closed = true;
      agent.destroy();
    },
  };
}

interface Waiter extends Pick<Place, "session_id" | "team_id"> {
  readonly url: string;
  readonly agent: Agent;
}

/** Waits once, and returns the cursor after what that brought. */
function wait({ url, session_id, team_id, agent }: Waiter, query: string): Promise<number> {
  const address = `${url}/api/sessions/${session_id}/messages/wait?${query}`;
  return new Promise((resolve, reject) => {
    get(address, { agent, headers: { "x-team-id": team_id } }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        const body = String(Buffer.concat(chunks));
        const cursor = /"next_cursor":(\d+)/.exec(body)?.[1];
        // Asked again, what is refused would be refused for ever.
        if (cursor === undefined) reject(new Error(`A wait was answered ${response.statusCode}: ${body}`));
        else resolve(Number(cursor));
      });
    }).once("error", reject);
  });
}

/** The feed's end, which the poster finds by reading: a thousand receivers that did would take most of the time. */
async function findEnd({ url, poster }: DeliveryQuestion): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    for (let cursor = -1; ; ) {
      const next = await wait({ url, ...poster, agent }, "timeout=0");
      if (next === cursor) return cursor;
      cursor = next;
    }
  } finally {
    agent.destroy();
  }
}
