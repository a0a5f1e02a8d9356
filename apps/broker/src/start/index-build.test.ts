import { expect, it } from "vitest";
import { startTestBroker } from "../../../../tests/kit/test-broker.js";
import { connectTestDatabase } from "../../../../tests/kit/test-database.js";

it("[DB-42] a broker that starts builds an index that was left unfinished, while it serves", async () => {
  const broker = await startTestBroker();
  const sql = connectTestDatabase(broker.databaseUrl);
  const isValid = async () => {
    const [index] =
      await sql`SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('messages_to_some')`;
    return index?.["indisvalid"];
  };
  expect(await isValid()).toBe(true);
  await broker.restartAfter(async () => {
    await sql`UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'messages_to_some'::regclass`;
  });
  await expect.poll(isValid).toBe(true);
  await expect
    .poll(() => broker.logged.some((line) => line.includes("built indexes of large tables")))
    .toBe(true);
});
