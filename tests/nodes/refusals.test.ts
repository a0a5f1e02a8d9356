import { randomUUID } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startBroker } from "@merkle/broker";
import { answerHello, drawSeed } from "@merkle/wire/identity";
import { deriveSigningKey } from "@merkle/wire/keys";
import { expect, it, onTestFinished, vi } from "vitest";
import { startAlertReceiver } from "../kit/alert-receiver.js";
import { putAuditKey } from "../kit/audit-key.js";
import { startInviteBroker } from "../kit/members.js";
import { changeSettings, makePerson } from "../kit/persons.js";
import { expectFailure } from "../kit/session.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { connectTestDatabase, createTestDatabase } from "../kit/test-database.js";
import { brokerTransports } from "../kit/transports.js";

const bus = "postgres";

it("[NODE-5] a broker does not start beside one with another bus, epoch, audit key or clock, nor with a clock that is not the database's", async () => {
  const databaseUrl = await createTestDatabase();
  const sql = connectTestDatabase(databaseUrl);
  const refusal = async (options: object = {}) => {
    const { message } = await expectFailure(startTestBroker({ databaseUrl, bus, ...options }));
    return message;
  };

  // This check comes first, because the mocked Date.now would also change the clock of a second node in this process.
  const now = Date.now;
  vi.spyOn(Date, "now").mockImplementation(() => now() - 5_500);
  onTestFinished(() => void vi.restoreAllMocks());
  expect(await refusal()).toMatch(/clock differs from the database's by 5\.\d s/);
  vi.restoreAllMocks();

  await startTestBroker({ databaseUrl, bus });
  const [own] = await sql`SELECT * FROM nodes`;
  expect(await refusal({ bus: "nats://127.0.0.1:1" })).toMatch(/MERKLE_BUS is nats here and postgres/);

  const misfits = {
    "The database was restored": { epoch: randomUUID() },
    "a different audit key": { audit_key: "0".repeat(64) },
    "of another node are 5.\\d s apart": { clock_ms: Number(own?.["clock_ms"]) + 5_500 },
  };
  for (const [sentence, fact] of Object.entries(misfits)) {
    // The row that a node on another machine would store and keep refreshing.
    const row = { ...own, ...fact, node_id: randomUUID(), last_seen_at: new Date(Date.now() + 60_000) };
    await sql`INSERT INTO nodes ${sql(row)}`;
    expect(await refusal()).toMatch(new RegExp(sentence));
    await sql`DELETE FROM nodes WHERE node_id = ${row.node_id}`;
  }

  await startTestBroker({ databaseUrl, bus });
});

it("[NODE-5] nodes share the audit key that MERKLE_AUDIT_KEY_FILE names; one without it, or with another, does not start", async () => {
  const databaseUrl = await createTestDatabase();
  await startTestBroker({ databaseUrl, bus });
  const [home, keys] = [await makeFolder(), await makeFolder()];
  const auditKeyFile = join(keys, "audit-key.json");
  const start = async (more: object = { auditKeyFile }) => {
    const started = await startBroker({ home, databaseUrl, bus, port: 0, ...more });
    onTestFinished(() => started.stop());
    return started;
  };
  expect(await expectFailure(start({}))).toMatchObject({ code: "no_audit_key" });
  expect(await expectFailure(start())).toMatchObject({
    message: expect.stringContaining("which does not exist"),
  });
  await putAuditKey(keys, "the audit key of another broker");
  expect(await expectFailure(start())).toMatchObject({ code: "no_audit_key" });
  await putAuditKey(keys);
  await start();
  expect(await readdir(home)).not.toContain("audit-key.json");
});

it("[NODE-12] a sign-in challenge of one node is answered at another, once among them all", async () => {
  const databaseUrl = await createTestDatabase();
  const { broker: a, admin } = await startInviteBroker(onTestFinished, { bus, databaseUrl });
  const b = await startTestBroker({ auth: "invite", rateLimits: "off", bus, databaseUrl });
  const greeting = await (await fetch(`${a.url}/api/sign-in`)).json();
  const answer = async ({ url }: TestBroker) => {
    const proof = answerHello(greeting, {
      ...{ brokerId: admin.broker_id, meshId: admin.mesh_id, memberKey: admin.memberKey },
      ...{ sessionKey: deriveSigningKey(drawSeed()), label: "a browser", session: null, url },
    });
    const response = await fetch(`${url}/api/sign-in`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: url },
      body: JSON.stringify({ proof }),
    });
    return response.status;
  };
  expect(await answer(b)).toBe(200);
  expect([await answer(a), await answer(b)]).toEqual([401, 401]);
});

it("[ALERT-7] a place for alerts that was given at one node is reached from another, whose home has another key", async () => {
  const databaseUrl = await createTestDatabase();
  const a = await startTestBroker({ bus, databaseUrl });
  const b = await startTestBroker({ bus, databaseUrl });
  const receiver = await startAlertReceiver(onTestFinished);
  const at = { a: await brokerTransports.rest(a.url), b: await brokerTransports.rest(b.url) };
  await changeSettings(at.a, { settings: { alert_inner_addresses: true } });
  const { person_id: team_id } = await makePerson(at.a, "Ana");
  const to = { kind: "webhook", url: receiver.url, secret: `whsec_${"A".repeat(32)}` } as const;
  const { target_id } = await at.a.call("put_alert_target", { team_id, to, name: "ops", about: ["ask"] });
  expect(await at.b.call("test_alert", { team_id, target_id })).toMatchObject({ arrived: true });
  const keys = await Promise.all([a, b].map(({ home }) => readFile(join(home, "alert-key"), "utf8")));
  expect(new Set(keys).size).toBe(2);
});

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "merkle-node-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
