import { randomBytes, randomUUID } from "node:crypto";
import { type AlertTargetFacts, listAlertTargets, openDatabase, saveAlertTarget } from "@merkle/db";
import type { AlertContent, AlertTo } from "@merkle/wire";
import { Webhook } from "standardwebhooks";
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import {
  type AlertReceiver,
  respondWith,
  startAlertReceiver,
} from "../../../../../tests/kit/alert-receiver.js";
import { alone } from "../../../../../tests/kit/alone.js";
import { createCleanup } from "../../../../../tests/kit/cleanup.js";
import { makePerson } from "../../../../../tests/kit/persons.js";
import { createTestSession, toBareId } from "../../../../../tests/kit/session.js";
import { startTestBroker } from "../../../../../tests/kit/test-broker.js";
import { connectTestDatabase } from "../../../../../tests/kit/test-database.js";
import { transports } from "../../../../../tests/kit/transports.js";
import { openAlertKey } from "../../core/alert-key.js";
import { createLog } from "../../core/log.js";
import { loadSettings } from "../../core/settings-store.js";
import { hooks } from "../../features.js";
import { createQuotas } from "../../identity/limits/quotas.js";
import { startPresence } from "../../sessions/peers/presence.js";
import { createAlertOutbox } from "./alert-outbox.js";
import { encryptTarget } from "./send-alert.js";

let sql: ReturnType<typeof connectTestDatabase>;
let services: Awaited<ReturnType<typeof openServices>>;
let person: { readonly meshId: string; readonly personId: string };
let sessionId: string;

const cleanup = createCleanup();
beforeAll(async () => {
  const broker = await startTestBroker({}, cleanup);
  const transport = await transports.rest(broker.url);
  ({ sessionId } = await createTestSession(transport, "Split auth"));
  const { person_id } = await makePerson(transport, "Ana");
  // Stops the broker so that only the test's own outbox uses the database.
  await broker.stop();
  sql = connectTestDatabase(broker.databaseUrl, cleanup);
  services = await openServices(broker);
  person = { meshId: services.database.meshId, personId: toBareId(person_id) };
});

async function openServices({ databaseUrl, home }: { readonly databaseUrl: string; readonly home: string }) {
  const database = await openDatabase({ target: databaseUrl });
  cleanup(database.close);
  const presence = startPresence({ ...alone, database, log: createLog(() => undefined) });
  cleanup(presence.stop);
  return {
    database,
    presence,
    quotas: createQuotas(database),
    hooks,
    settings: await loadSettings(database, { alert_inner_addresses: true }),
    addresses: { getBaseUrl: () => "https://mesh.example.com" },
    ...alone,
    alertKey: await openAlertKey(home),
    stopping: new AbortController().signal,
  };
}

beforeEach(async () => {
  await sql`DELETE FROM alert_targets`;
  await sql`DELETE FROM dismissals`;
  await setBlocked(null);
});

const secret = `whsec_${randomBytes(24).toString("base64")}`;
const noon = new Date("2026-03-02T12:00:00.000Z");
const later = (seconds: number) => new Date(noon.getTime() + seconds * 1000);

/** Marks an agent as blocked for a reason, or as not blocked if the reason is null. */
async function setBlocked(reason: string | null): Promise<void> {
  const status = reason === null ? null : "blocked";
  await sql`UPDATE peers SET declared_status = ${status}, declared_reason = ${reason},
    declared_at = CASE WHEN ${status}::text IS NOT NULL THEN clock_timestamp() END WHERE session_id = ${sessionId}`;
}

async function addTarget(to: AlertTo, more: Partial<AlertTargetFacts> = {}): Promise<string> {
  const targetId = randomUUID();
  const sealed = encryptTarget(services, targetId, to);
  await services.database.transaction((tx) =>
    saveAlertTarget(tx, {
      ...person,
      ...{ targetId, kind: to.kind, name: to.kind, sealed, quiet: null, createdAt: noon, changedAt: noon },
      about: ["blocked", "concluded"],
      ...more,
    }),
  );
  return targetId;
}

const webhookAt = ({ url }: AlertReceiver): AlertTo => ({ kind: "webhook", url, secret });

/** Creates an outbox as a newly started broker would. */
function openOutbox(others: object = {}) {
  return createAlertOutbox(async () => [{ ...services, ...others }], { silentMs: 1_000 });
}

/** Returns the text of each alert received, after verifying its signature with a third-party library. */
function wordsOf({ received }: AlertReceiver): string[] {
  return received.map(({ headers, body }) => {
    const { data } = JSON.parse(body.toString()) as { data: AlertContent };
    const at = new Date(Number(headers["webhook-timestamp"]) * 1000);
    const signature = new Webhook(secret).sign(String(headers["webhook-id"]), at, body.toString());
    expect(headers["webhook-signature"]).toBe(signature);
    return data.body;
  });
}

async function stateOf(targetId: string) {
  const [target] = await listAlertTargets(services.database.orm, person, targetId);
  return target;
}

describe("The outbox", () => {
  it("[ALERT-3] tells of what was chosen once, over restarts, and of the same happening again once more", async () => {
    const receiver = await startAlertReceiver(onTestFinished);
    await addTarget(webhookAt(receiver));
    await addTarget(webhookAt(receiver), { about: ["ask"] });
    await setBlocked("needs a key");
    await openOutbox()(noon);
    await openOutbox()(later(10));
    const outbox = openOutbox();
    await outbox(later(20));
    expect(wordsOf(receiver)).toEqual(["Atlas is blocked: “needs a key”"]);
    await setBlocked(null);
    await outbox(later(30));
    await setBlocked("needs another");
    await outbox(later(40));
    expect(wordsOf(receiver).at(-1)).toBe("Atlas is blocked: “needs another”");
    expect(receiver.received).toHaveLength(2);
    const ids = receiver.received.map(({ headers }) => headers["webhook-id"]);
    expect(new Set(ids).size).toBe(2);
  });

  it("[ALERT-3] a receiver that is down for ten minutes is told once it is back, with the id that it would have had", async () => {
    const receiver = await startAlertReceiver(onTestFinished);
    const targetId = await addTarget(webhookAt(receiver));
    await setBlocked("needs a key");
    receiver.answer = respondWith(503);
    const tries: number[] = [];
    for (let second = 0; second < 600; second += 15) {
      const before = receiver.received.length;
      // Each attempt uses a new outbox, as after a restart of the broker.
      await openOutbox()(later(second));
      if (receiver.received.length > before) tries.push(second);
    }
    expect(tries, "later and later, and no more often").toEqual([0, 15, 45, 165, 465]);
    expect(await stateOf(targetId)).toMatchObject({
      problem: "The server answered 503.",
      waiting: 1,
      lastSentAt: null,
    });
    receiver.answer = respondWith(204);
    for (let second = 600; second < 1_800; second += 60) await openOutbox()(later(second));
    expect(receiver.received).toHaveLength(tries.length + 1);
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(await stateOf(targetId)).toMatchObject({ problem: null, waiting: 0, givenUp: 0 });
  });

  it("[ALERT-3] a receiver that never answers is given up in the end, and holds up no other", async () => {
    const [silent, other] = [
      await startAlertReceiver(onTestFinished),
      await startAlertReceiver(onTestFinished),
    ];
    silent.answer = () => undefined;
    const targetId = await addTarget(webhookAt(silent));
    await addTarget(webhookAt(other));
    await setBlocked("needs a key");
    await openOutbox()(noon);
    expect(other.received).toHaveLength(1);
    expect(await stateOf(targetId)).toMatchObject({
      problem: "No server responded within 1 seconds.",
      waiting: 1,
    });
    await sql`UPDATE alerts SET attempts = 9 WHERE target_id = ${targetId} AND state = 'waiting'`;
    await openOutbox()(later(60));
    expect(await stateOf(targetId)).toMatchObject({ waiting: 0, givenUp: 1 });
    await openOutbox()(later(1_000_000));
    expect(silent.received).toHaveLength(2);
  });

  it("[ALERT-3] what a broker had taken when it was killed is sent again when its lease has ended", async () => {
    const receiver = await startAlertReceiver(onTestFinished);
    await addTarget(webhookAt(receiver));
    await setBlocked("needs a key");
    const stopped = new AbortController();
    receiver.answer = () => stopped.abort();
    await openOutbox({ stopping: stopped.signal })(noon);
    receiver.answer = respondWith(204);
    await openOutbox()(later(30));
    expect(receiver.received).toHaveLength(1);
    await openOutbox()(later(61));
    await openOutbox()(later(200));
    expect(receiver.received).toHaveLength(2);
  });

  it("[ALERT-3] what was settled, put away or redacted before it was sent is not told", async () => {
    const receiver = await startAlertReceiver(onTestFinished);
    await addTarget(webhookAt(receiver));
    receiver.answer = respondWith(500);
    await setBlocked("needs a key");
    await openOutbox()(noon);
    receiver.answer = respondWith(204);
    await setBlocked(null);
    await openOutbox()(later(100));
    expect(receiver.received).toHaveLength(1);
    await setBlocked("needs a word");
    const [peer] = await sql`SELECT peer_id, (extract(epoch FROM declared_at) * 1000)::bigint AS since
      FROM peers WHERE session_id = ${sessionId}`;
    const item = `blocked:${sessionId}:${peer?.["peer_id"]}:${peer?.["since"]}`;
    await sql`INSERT INTO dismissals (mesh_id, person_id, item) VALUES (${person.meshId}, ${person.personId}, ${item})`;
    await openOutbox()(later(200));
    expect(receiver.received).toHaveLength(1);
  });

  it("[ALERT-4] nothing is sent in quiet hours; what still waits then comes at their end", async () => {
    const receiver = await startAlertReceiver(onTestFinished);
    // Noon in UTC is one o'clock in Berlin.
    const quiet = { from: "22:30", to: "13:15", time_zone: "Europe/Berlin" };
    await addTarget(webhookAt(receiver), { quiet });
    await setBlocked("needs a key");
    for (const minute of [0, 5, 14]) await openOutbox()(later(minute * 60));
    expect(receiver.received).toHaveLength(0);
    await openOutbox()(later(15 * 60));
    expect(receiver.received).toHaveLength(1);
  });

  it("[ALERT-6] redirects are not followed, and inner addresses are not called unless an admin allows them", async () => {
    const [receiver, inside] = [
      await startAlertReceiver(onTestFinished),
      await startAlertReceiver(onTestFinished),
    ];
    receiver.answer = respondWith(302, { location: inside.url });
    const targetId = await addTarget(webhookAt(receiver));
    await setBlocked("needs a key");
    await openOutbox()(noon);
    expect(inside.received).toHaveLength(0);
    expect((await stateOf(targetId))?.problem).toBe("The server answered 302. Redirects are not followed.");
    const settings = await loadSettings(services.database, {});
    const named = await addTarget({
      kind: "webhook",
      url: inside.url.replace("http://127.0.0.1", "https://localhost"),
      secret,
    });
    await openOutbox({ settings })(later(60));
    expect(inside.received).toHaveLength(0);
    expect(receiver.received).toHaveLength(1);
    for (const each of [targetId, named]) {
      expect((await stateOf(each))?.problem).toMatch(
        /^The address belongs to the broker's own machine or network/,
      );
    }
  });

  it("[ALERT-5] an address that says it is gone is told nothing more, nor is one whose key was lost", async () => {
    const receiver = await startAlertReceiver(onTestFinished);
    const targetId = await addTarget(webhookAt(receiver));
    receiver.answer = respondWith(410);
    await setBlocked("needs a key");
    await openOutbox()(noon);
    expect(await stateOf(targetId)).toMatchObject({
      problem: "The server answered 410.",
      givenUp: 1,
      endedAt: noon,
    });
    const lost = await addTarget(webhookAt(receiver), { sealed: randomBytes(60) });
    await setBlocked("needs another");
    await openOutbox()(later(5));
    expect(receiver.received).toHaveLength(1);
    expect((await stateOf(lost))?.problem).toMatch(/key that is lost/);
  });
});
