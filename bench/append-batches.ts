import { randomBytes, randomUUID } from "node:crypto";
import { pipeline } from "node:stream/promises";
import { connectPool, type MessageRow, messageRowDefaults, openDatabase } from "@merkle/db";
import { messageFieldNames } from "@merkle/wire";
import { type Latency, toLatency } from "./statistics.js";
import { messageText } from "./text.js";

/** Two ways to add a batch of messages to a session. Each batch is one statement in its own transaction. */
export interface AppendBatches {
  /** Appends as the broker does: numbers the messages and applies every rule. */
  append(rows: number, measureMs: number): Promise<Latency>;
  /** Copies numbered rows into the messages table with COPY. Touches no other table and checks nothing. */
  copy(rows: number, measureMs: number): Promise<Latency>;
  close(): Promise<void>;
}

/** @param sessions - a separate session for each method, to which no one else posts */
export async function openAppendBatches(
  databaseUrl: string,
  sessions: { readonly append: string; readonly copy: string },
): Promise<AppendBatches> {
  const database = await openDatabase({ target: databaseUrl });
  const copying = connectPool(databaseUrl, 1);
  // Starts far above the sequences that the session already contains.
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

/** Measures each batch, excluding the time it takes to create the batch. */
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

/** Formats a row in the text format of COPY. */
function toLine({ team_id, peer_id, salt, ...row }: MessageRow, sequence: number): string {
  const placed = { posted_by_team_id: team_id, posted_by_peer_id: peer_id, salt: `\\\\x${salt}` };
  const values: Readonly<Record<string, unknown>> = {
    ...{ ...row, ...placed, sequence, posted_at: new Date().toISOString(), content_hash: null },
    ...{ recipients: `{${row.recipients.join()}}`, content: row.content.replaceAll("\\", "\\\\") },
  };
  return `${messageFieldNames.map((name) => values[name] ?? "\\N").join("\t")}\n`;
}
