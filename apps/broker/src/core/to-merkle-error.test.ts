import { expect, it, onTestFinished } from "vitest";
import { connectTestDatabase, createTestDatabase } from "../../../../tests/kit/test-database.js";
import { createLog } from "./log.js";
import { toMerkleError } from "./to-merkle-error.js";

it("[ERR-3] [DB-10] a statement that took too long is told apart from one that waited for somebody else", async () => {
  const url = await createTestDatabase();
  const holder = await connectTestDatabase(url).reserve();
  const waiter = await connectTestDatabase(url).reserve();
  onTestFinished(() => holder.release());
  onTestFinished(() => waiter.release());
  const catchError = async (work: Promise<unknown>) => {
    const error = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    return toMerkleError(
      error,
      createLog(() => undefined),
      {},
    );
  };
  await waiter`SET statement_timeout = 20`;
  expect(await catchError(waiter`SELECT pg_sleep(60)`)).toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("took too long"),
    details: { outcome: "none" },
  });
  await holder`SELECT pg_advisory_lock(1)`;
  await waiter`SET lock_timeout = 10`;
  await waiter`SET statement_timeout = 0`;
  expect(await catchError(waiter`SELECT pg_advisory_lock(1)`)).toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("Another call kept the data locked"),
  });
});
