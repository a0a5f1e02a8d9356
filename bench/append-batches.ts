import { randomBytes, randomUUID } from "node:crypto";
import { pipeline } from "node:stream/promises";
import { connectPool, type MessageRow, messageRowDefaults, openDatabase } from "@merkle/db";
import { messageFieldNames } from "@merkle/wire";
import { type Latency, toLatency } from "./statistics.js";
import { messageText } from "./text.js";

/** Ways to add a batch to a session's messages by one statement, each with a transaction of its own. */
export interface AppendBatches {
  /** As the broker does: numbered, with every rule. */
  append(rows: number, measureMs: number): Promise<Latency>;
  /** COPY into the same table, of rows that are numbered already: no other feed is touched, and nothing is looked at. */
  copy(rows: number, measureMs: number): Promise<Latency>;
  close(): Promise<void>;
}

/** @param sessions - one for each way, to which nobody else posts */
export async function openAppendBatches(
  databaseUrl: string,
  sessions: { readonly append: string; readonly copy: string },
): Promise<AppendBatches> {
  const database = await openDatabase({ target: databaseUrl });
  const copying = connectPool(databaseUrl, 1);
  // Far behind what the session has.
  let sequence = 1_000_000;

  return {
    append: (rows, measureMs) =>
      timeBatches(measureMs, () => newRows(sessions.append, rows), database.append),
    copy(rows, measureMs) {
      const makeLines = () =>
        newRows(sessions.copy, rows).map((row) => {
          sequence += 1;
          return toLine(row, sequence);
        });
      return timeBatches(measureMs, makeLines, async (lines) => {
        const target = await copying
          .unsafe(`COPY messages (${messageFieldNames.join()}) FROM STDIN`)
          .writable();
        await pipeline([lines.join("")], target);
      });
    },
    async close() {
      await Promise.all([database.close(), copying.end()]);
    },
  };
}

/** Makes each batch outside of the time that is taken. */
async function timeBatches<Batch>(
  measureMs: number,
  make: () => Batch,
  add: (batch: Batch) => Promise<unknown>,
): Promise<Latency> {
  const took: number[] = [];
  for (const until = performance.now() + measureMs; performance.now() < until; ) {
    const batch = make();
    const from = performance.now();
    await add(batch);
    took.push(performance.now() - from);
  }
  return toLatency(took);
}

const author = { team_id: randomUUID(), peer_id: randomUUID(), author_team: "Bench" };

function newRows(session_id: string, count: number): MessageRow[] {
  return Array.from({ length: count }, () => ({
    ...messageRowDefaults,
    ...author,
    ...{ session_id, id: randomUUID(), type: "chat" as const },
    ...{ content: JSON.stringify({ text: messageText }), salt: randomBytes(16).toString("hex") },
  }));
}

/** A row in the text format of COPY. */
function toLine({ team_id, peer_id, salt, ...row }: MessageRow, sequence: number): string {
  const placed = { posted_by_team_id: team_id, posted_by_peer_id: peer_id, salt: `\\\\x${salt}` };
  const values: Readonly<Record<string, unknown>> = {
    ...{ ...row, ...placed, sequence, posted_at: new Date().toISOString(), content_hash: null },
    ...{ recipients: `{${row.recipients.join()}}`, content: row.content.replaceAll("\\", "\\\\") },
  };
  return `${messageFieldNames.map((name) => values[name] ?? "\\N").join("\t")}\n`;
}
