import { expect, it, onTestFinished } from "vitest";
import { doors } from "../kit/doors.js";
import { createTestSession, failureOf } from "../kit/session.js";
import { startTestBroker } from "../kit/test-broker.js";
import { createTestDatabase } from "../kit/test-database.js";
import { startPostgresProxy } from "./postgres-proxy.js";

it("[FEED-7] a database that neither answers nor breaks leaves no call without an answer, and is taken up again", async () => {
  const url = new URL(await createTestDatabase());
  const proxy = await startPostgresProxy({ host: url.hostname, port: Number(url.port) });
  onTestFinished(proxy.stop);
  url.port = String(proxy.port);
  const broker = await startTestBroker({ databaseUrl: url.href });
  const door = await doors.rest(broker.url);
  const session = await createTestSession(door);
  const { sessionId: session_id, convener: team_id } = session;

  proxy.mode = "stall";
  const failures = await Promise.all([
    failureOf(session.post(team_id, "into silence")),
    failureOf(door.call("get_session", { session_id })),
    failureOf(door.call("append_to_session_doc", { session_id, team_id, text: "into silence" })),
  ]);
  for (const failure of failures) expect(failure).toMatchObject({ code: "unavailable" });
  const health = await fetch(`${broker.url}/health`);
  expect([health.status, Object(await health.json()).durable]).toEqual([503, false]);

  proxy.mode = "pass";
  proxy.cutAll();
  await session.post(team_id, "heard again");
  await expect.poll(async () => (await fetch(`${broker.url}/health`)).status).toBe(200);
}, 60_000);
