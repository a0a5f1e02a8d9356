import type postgres from "postgres";
import { expect, it, onTestFinished } from "vitest";
import { createTestSession } from "../kit/session.js";
import { startTestBroker } from "../kit/test-broker.js";
import { connectTestDatabase, createTestDatabase } from "../kit/test-database.js";
import { transports } from "../kit/transports.js";

it("[DB-17] a broker that loses its lock serves nothing while another one holds it, goes on when it has it again, and stops when it does not get it", async () => {
  const databaseUrl = await createTestDatabase();
  const { broker, url, logged } = await startTestBroker({ databaseUrl });
  const session = await createTestSession(await transports.rest(url));
  const sql = connectTestDatabase(databaseUrl);
  const another = await sql.reserve();
  onTestFinished(() => another.release());
  const key = (await locksOn(sql, { granted: true }))[0]?.key ?? "";

  /**
   * Waits for the lock as another broker would, and gets it as soon as the server ends the first broker's connection.
   */
  async function takeOver(): Promise<void> {
    const waiting = another`SELECT pg_advisory_lock(${key}::bigint)`.execute();
    await expect.poll(() => locksOn(sql, { granted: false })).toHaveLength(1);
    for (const { pid } of await locksOn(sql, { granted: true }))
      await sql`SELECT pg_terminate_backend(${pid})`;
    await waiting;
  }

  await takeOver();
  await expect.poll(() => logged.join("\n")).toContain("the lock on the database was lost");
  let answered = false;
  const post = session.post(session.convener, "while another one may serve").then(() => {
    answered = true;
  });
  // Ten round trips to the database take longer than a call, but far less time than a broker waits for its lock.
  for (let trips = 0; trips < 10; trips += 1) await sql`SELECT 1`;
  expect(answered).toBe(false);
  await another`SELECT pg_advisory_unlock(${key}::bigint)`;
  await post;

  await takeOver();
  expect(await broker.stopped).toMatchObject({ code: "not_alone" });
});

function locksOn(sql: postgres.Sql, { granted }: { granted: boolean }) {
  return sql<{ pid: number; key: string }[]>`
    SELECT pid, ((classid::bigint << 32) | objid::bigint)::text AS key FROM pg_locks
    WHERE locktype = 'advisory' AND granted = ${granted}
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
}
