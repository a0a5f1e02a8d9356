import { randomUUID } from "node:crypto";
import { openDatabase } from "@merkle/db";
import { expect, it, onTestFinished } from "vitest";
import { connectTestDatabase, createTestDatabase } from "../../../../tests/kit/test-database.js";
import { startLocalBus } from "./bus/bus.js";
import { createLog } from "./log.js";
import { startNode } from "./nodes.js";
import { createRepeatedTasks } from "./repeated-tasks.js";

const tasks = createRepeatedTasks(createLog(() => undefined));

it("[NODE-4] a node that stops while it says that it is there is gone all the same", async () => {
  const target = await createTestDatabase();
  const database = await openDatabase({ target });
  onTestFinished(() => database.close());
  const sql = connectTestDatabase(target);
  const bus = startLocalBus();
  const node = await startNode({ id: randomUUID(), database, bus, version: "1.0.0", auditKey: "key", tasks });

  // Blocks inserts into `nodes` until the test opens the gate. Everything else continues.
  await sql.unsafe(`
    CREATE FUNCTION wait_at_gate() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NEW; END';
    CREATE TRIGGER gate BEFORE INSERT ON nodes FOR EACH ROW EXECUTE FUNCTION wait_at_gate()`);
  let announced: Promise<void> | undefined;
  let stopped: Promise<void> | undefined;
  await sql.begin(async (holding) => {
    await holding`SELECT pg_advisory_xact_lock(1)`;
    announced = node.announce("http://localhost:1");
    await expect
      .poll(() => holding`SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`)
      .toHaveLength(1);
    stopped = node.stop();
    // While this query runs, the node has time to send all queries that do not wait for the gate.
    await database.orm.execute("SELECT");
  });
  await Promise.all([announced, stopped]);
  expect(await node.list()).toEqual([]);
});
