import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLog, startBroker } from "@merkle/broker";
import { expect, it, onTestFinished } from "vitest";
import { createTestDatabase } from "../kit/test-database.js";
import { startPostgresProxy } from "./postgres-proxy.js";

it("[DB-9] a start whose database goes away for good in the middle ends with a sentence that has no statement and no parameters in it", async () => {
  const told = new Set<string>();
  for (const bytes of [1, 2_000, 10_000, 20_000, 25_000, 30_000, 35_000, 40_000, 50_000]) {
    const url = new URL(await createTestDatabase());
    const proxy = await startPostgresProxy({ host: url.hostname, port: Number(url.port) });
    onTestFinished(proxy.stop);
    url.port = String(proxy.port);
    const home = await mkdtemp(join(tmpdir(), "merkle-start-"));
    onTestFinished(() => rm(home, { recursive: true, force: true }));
    void proxy.cut({ at: "byte", bytes }).then(proxy.stop);
    const started = startBroker({ home, databaseUrl: url.href, port: 0, log: createLog(() => undefined) });
    const failure = await started.then(
      (broker) => broker.stop().then(() => null),
      (error: Error) => error,
    );
    if (failure) told.add(failure.message.replace(/127\.0\.0\.1:\d+/, "<where>"));
  }
  expect(told.size).toBeGreaterThan(2);
  for (const message of told) expect(message).toMatch(/^(?!.*(?:Failed query|params:))[\x20-\x7e]+\.$/);
});
