import { setTimeout as delay } from "node:timers/promises";
import { openSocketLine } from "./load-posts.js";
import type { TeamInSession } from "./places.js";
import { percentile } from "./statistics.js";

export interface PacedQuestion {
  /** Addresses of one or more brokers. Connections are distributed over the brokers. */
  readonly socketUrls: readonly string[];
  /** Sessions and credentials to post with. Connections are distributed over them. */
  readonly places: readonly TeamInSession[];
  readonly connections: number;
  /** Interval between two posts on a connection, regardless of earlier replies. */
  readonly everyMs: number;
  readonly measureMs: number;
}

/** The time between when each post was due and its reply, in milliseconds. */
export interface PacedAnswer {
  readonly posts: number;
  readonly p50: number;
  readonly p999: number;
  readonly max: number;
}

/** Posts at fixed times. A stall does not reduce the number of posts, and every delayed post counts. */
export async function measurePaced(question: PacedQuestion): Promise<PacedAnswer> {
  const { socketUrls, places, connections, everyMs, measureMs } = question;
  const begin = performance.now() + everyMs;
  const latencies: number[] = [];
  await Promise.all(
    Array.from({ length: connections }, (_, index) => {
      const first = begin + (index * everyMs) / connections;
      const timetable = {
        count: Math.floor(measureMs / everyMs),
        dueAt: (id: number) => first + id * everyMs,
      };
      const [socketUrl, place] = [socketUrls[index % socketUrls.length], places[index % places.length]];
      if (socketUrl === undefined || !place) throw new Error("There is no session to post to.");
      return postOnTime(socketUrl, place, timetable, (latency) => latencies.push(latency));
    }),
  );
  return {
    posts: latencies.length,
    p50: percentile(latencies, 0.5),
    p999: percentile(latencies, 0.999),
    max: percentile(latencies, 1),
  };
}

interface Timetable {
  readonly count: number;
  dueAt(id: number): number;
}

async function postOnTime(
  socketUrl: string,
  place: TeamInSession,
  { count, dueAt }: Timetable,
  onAnswer: (latency: number) => void,
): Promise<void> {
  let answered = 0;
  let end: (error?: Error) => void = () => undefined;
  const ended = new Promise<void>((resolve, reject) => {
    end = (error) => (error ? reject(error) : resolve());
  });
  const line = await openSocketLine(socketUrl, place, (id, error) => {
    if (error !== undefined) return end(new Error(error));
    onAnswer(performance.now() - dueAt(id));
    answered += 1;
    if (answered === count) end();
  });
  const posted = async () => {
    for (let id = 0; id < count; id += 1) {
      await delay(dueAt(id) - performance.now());
      line.post(id);
    }
  };
  await Promise.all([posted(), ended]);
  line.close();
}
