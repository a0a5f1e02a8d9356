import { openLeanSocket } from "./lean-socket.js";
import { openFollower, openPoster } from "./load-delivery.js";
import type { TeamInSession } from "./places.js";
import { readTreeCpu } from "./process-state.js";

export interface FanOutQuestion {
  /** Addresses of one or more servers. Receivers are distributed over the servers, and posts go to the first server. */
  readonly socketUrls: readonly string[];
  /** The session and credential to post with. Null for a bare broadcast. */
  readonly poster: TeamInSession | null;
  /** Process ids of the servers that deliver. */
  readonly serverPids: readonly number[];
  readonly receivers: number;
  readonly inFlight: number;
  readonly warmUpMs: number;
  readonly measureMs: number;
}

export interface FanOutAnswer {
  readonly deliveriesPerSecond: number;
  readonly bytesEach: number;
  /** CPU time per delivery, in this process and in the server, including a share of the post's CPU time. */
  readonly cpuMicrosecondsEach: number;
  readonly serverMicrosecondsEach: number;
}

/** Keeps a number of messages in flight, each until every receiver has it, and counts the deliveries. */
export async function measureFanOut(question: FanOutQuestion): Promise<FanOutAnswer> {
  const { receivers, inFlight, warmUpMs, measureMs } = question;
  const receipts: number[] = [];
  let from = Number.POSITIVE_INFINITY;
  let until = Number.POSITIVE_INFINITY;
  let deliveries = 0;
  let bytesEach = 0;
  let posts = 0;
  let done = 0;
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });

  function newReceiver(): (bytes: number) => void {
    let received = 0;
    return (bytes) => {
      const count = (receipts[received] ?? 0) + 1;
      receipts[received] = count;
      received += 1;
      bytesEach = bytes;
      if (count < receivers) return;
      const now = performance.now();
      if (now >= from && now < until) deliveries += receivers;
      done += 1;
      if (now < until) post();
      else if (done === posts) finish();
    };
  }

  function post(): void {
    poster.post(posts);
    posts += 1;
  }

  const opened = await Promise.all(
    Array.from({ length: receivers }, (_, index) => openReceiver(question, index, newReceiver())),
  );
  const poster = await openSender(question);
  const serverBefore = await cpuOfAll(question.serverPids);
  const cpuBefore = process.cpuUsage();
  from = performance.now() + warmUpMs;
  until = from + measureMs;
  for (let i = 0; i < inFlight; i += 1) post();
  await finished;
  const cpu = process.cpuUsage(cpuBefore);
  const serverMicroseconds = (await cpuOfAll(question.serverPids)) - serverBefore;
  for (const each of [...opened, poster]) each.close();
  return {
    deliveriesPerSecond: (deliveries / measureMs) * 1000,
    bytesEach,
    cpuMicrosecondsEach: (cpu.user + cpu.system) / (posts * receivers),
    serverMicrosecondsEach: serverMicroseconds / (posts * receivers),
  };
}

async function cpuOfAll(pids: readonly number[]): Promise<number> {
  const each = await Promise.all(pids.map(readTreeCpu));
  return each.reduce((sum, microseconds) => sum + microseconds, 0);
}

function openReceiver(
  { socketUrls, poster }: FanOutQuestion,
  index: number,
  onReceived: (bytes: number) => void,
) {
  const socketUrl = socketUrls[index % socketUrls.length] ?? "";
  if (poster) return openFollower(socketUrl, poster.session_id, onReceived);
  return openLeanSocket(socketUrl, (payload) => onReceived(payload.length));
}

async function openSender({ socketUrls: [socketUrl = ""], poster }: FanOutQuestion) {
  if (poster) return openPoster({ socketUrl, poster });
  const socket = await openLeanSocket(`${socketUrl}/post`, () => undefined);
  return { post: (id: number) => socket.send(String(id)), close: socket.close };
}
