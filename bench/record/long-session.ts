import { join } from "node:path";
import { connectPool } from "@merkle/db";
import { addMessages } from "../add-messages.js";
import type { Memory } from "../process-state.js";
import { type BenchBroker, openStage, type Stage } from "../stage.js";
import { startStorage } from "./archive.js";

/** A session with a very long feed, on a broker in a separate process. */
export interface LongSession {
  readonly stage: Stage;
  readonly broker: BenchBroker;
  readonly session_id: string;
  readonly team_id: string;
  readonly messages: number;
  /**
   * Inserts messages directly. Posting the messages would take most of the time, and other benchmarks measure posting.
   */
  add(count: number): Promise<void>;
  /** Returns the size of a table on disk, including its indexes, in bytes. */
  sizeOf(table: string): Promise<number>;
  memory(): Promise<Memory>;
  /** Lets the database reuse the space of deleted rows. `FULL` returns the space to the file system. */
  vacuum(how: "" | "FULL"): Promise<void>;
  stop(): Promise<void>;
}

export async function openLongSession(messages: number): Promise<LongSession> {
  const stage = await openStage([]);
  const storage = await startStorage(join(stage.folder, "storage"));
  const broker = await stage.startBroker({ flags: ["--expose-gc"], archive: storage.archive });
  const sql = connectPool(stage.databaseUrl, 1);
  const stop = async () => {
    await sql.end();
    await broker.stop();
    await storage.stop();
    await stage.stop();
  };
  try {
    await sql`SELECT set_config('statement_timeout', '0', false)`;
    const { session_id, team_id } = await create(broker.url);
    const add = (count: number) => addMessages(sql, { session_id, team_id }, count);
    await add(messages);
    return {
      stage,
      broker,
      session_id,
      team_id,
      messages,
      add,
      stop,
      async vacuum(how) {
        await sql.unsafe(`VACUUM ${how} messages`);
      },
      memory: () => broker.ask<Memory>({ state: "memory" }),
      async sizeOf(table) {
        const [row] =
          await sql`SELECT pg_total_relation_size(${table}::text::regclass)::bigint::text AS bytes`;
        return Number(row?.["bytes"]);
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function create(url: string): Promise<{ session_id: string; team_id: string }> {
  const response = await fetch(new URL("/api/sessions", url), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ title: "A long one", creator_team_name: "Bench" }),
  });
  return response.json() as Promise<{ session_id: string; team_id: string }>;
}
