import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { appendMessages, connectPool, type MessageRow, messageRowDefaults } from "@merkle/db";
import { canonicalJson } from "@merkle/wire/record";
import { type Latency, toLatency } from "./statistics.js";
import { messageText } from "./text.js";

/** The statement that the appender runs, without a broker around it: what the database itself allows. */
export interface RawStatement {
  /** Batches of so many rows, one after the other, from one connection. */
  batches(options: { rows: number; feeds: number; measureMs: number; pauseMs?: number }): Promise<RawAnswer>;
  /** One statement for each row, from so many callers at once over ten connections. */
  eachByItself(options: { callers: number; measureMs: number }): Promise<RawAnswer>;
  serverVersion(): Promise<string>;
  close(): Promise<void>;
}

export interface RawAnswer extends Latency {
  readonly perSecond: number;
}

export function openRawStatement(databaseUrl: string): RawStatement {
  const lane = connectPool(databaseUrl, 1);
  const pool = connectPool(databaseUrl, 10);

  async function openFeeds(count: number): Promise<string[]> {
    const ids = Array.from({ length: count }, () => randomUUID());
    for (const id of ids) await lane`INSERT INTO feeds (session_id) VALUES (${id})`;
    return ids;
  }

  return {
    async batches({ rows, feeds, measureMs, pauseMs }) {
      const sessions = await openFeeds(feeds);
      const times: number[] = [];
      const until = performance.now() + measureMs;
      while (performance.now() < until) {
        if (pauseMs !== undefined) await delay(pauseMs);
        // Made outside of the time that is taken: only the statement is the limit.
        const batch = makeRows(sessions, rows);
        const sentAt = performance.now();
        await appendMessages(lane, batch, false);
        times.push(performance.now() - sentAt);
      }
      const total = times.reduce((sum, time) => sum + time, 0);
      return { perSecond: (times.length * rows * 1000) / total, ...toLatency(times) };
    },
    async eachByItself({ callers, measureMs }) {
      const sessions = await openFeeds(1);
      const times: number[] = [];
      const until = performance.now() + measureMs;
      await Promise.all(
        Array.from({ length: callers }, async () => {
          while (performance.now() < until) {
            const sentAt = performance.now();
            await appendMessages(pool, makeRows(sessions, 1), true);
            times.push(performance.now() - sentAt);
          }
        }),
      );
      return { perSecond: (times.length * 1000) / measureMs, ...toLatency(times) };
    },
    async serverVersion() {
      const [row] = await lane`SELECT current_setting('server_version') AS version`;
      return String(row?.["version"]);
    },
    async close() {
      await Promise.all([lane.end(), pool.end()]);
    },
  };
}

function makeRows(sessions: readonly string[], count: number): MessageRow[] {
  return Array.from({ length: count }, (_, index) => ({
    ...messageRowDefaults,
    session_id: sessions[index % sessions.length] ?? "",
    id: randomUUID(),
    type: "chat",
    team_id: randomUUID(),
    peer_id: randomUUID(),
    author_team: "Bench",
    content: canonicalJson({ text: messageText }),
    salt: randomBytes(16).toString("hex"),
  }));
}
