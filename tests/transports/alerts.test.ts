import { createECDH, randomBytes } from "node:crypto";
import type { InputOf } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import ece from "http_ece";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { respondWith, startAlertReceiver } from "../kit/alert-receiver.js";
import { createCleanup } from "../kit/cleanup.js";
import { changeSettings, makePerson } from "../kit/persons.js";
import { createTestSession, expectFailure } from "../kit/session.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { connectTestDatabase } from "../kit/test-database.js";
import { type TransportClient, transports } from "../kit/transports.js";

let broker: TestBroker;
let transport: TransportClient;
let sql: ReturnType<typeof connectTestDatabase>;

const cleanup = createCleanup();
beforeAll(async () => {
  broker = await startTestBroker({}, cleanup);
  transport = await transports.rest(broker.url);
  cleanup(() => transport.close());
  sql = connectTestDatabase(broker.databaseUrl, cleanup);
});

type To = NonNullable<InputOf<"put_alert_target">["to"]>;

const secret = `whsec_${randomBytes(24).toString("base64")}`;
const hookAt = (url: string): To => ({ kind: "webhook", url, secret });
const outside = hookAt("https://hooks.example.com/private-path");

async function startPerson(name: string) {
  const { person_id: team_id } = await makePerson(transport, name);
  return {
    team_id,
    put: (input: Partial<InputOf<"put_alert_target">>) =>
      transport.call("put_alert_target", { team_id, ...input }),
    add: (to: To) =>
      transport.call("put_alert_target", { team_id, to, name: "ops", about: ["ask", "quiet"] }),
    list: async () => (await transport.call("list_alert_targets", { team_id })).targets,
  };
}

const inner = (allowed: boolean) =>
  changeSettings(transport, { settings: { alert_inner_addresses: allowed } });

describe.each(Object.entries(transports))("places where a person is told, by %s", (_name, open) => {
  it("[ALERT-1] one is made, listed, changed and removed, and is its person's alone", async () => {
    const at = await open(broker.url);
    onTestFinished(() => at.close());
    const { person_id: team_id } = await makePerson(at, "Ana");
    const quiet = { from: "22:00", to: "07:00", time_zone: "Europe/Berlin" };
    const made = await at.call("put_alert_target", {
      team_id,
      to: outside,
      name: "ops",
      about: ["ask"],
      quiet,
    });
    expect(made).toMatchObject({
      kind: "webhook",
      name: "ops",
      host: "hooks.example.com",
      about: ["ask"],
      quiet,
    });
    const { target_id } = made;
    const changed = await at.call("put_alert_target", {
      team_id,
      target_id,
      about: ["blocked"],
      quiet: null,
    });
    expect(changed).toEqual({ ...made, about: ["blocked"], quiet: null });
    const { targets, push_key } = await at.call("list_alert_targets", { team_id });
    expect(targets).toEqual([changed]);
    expect(Buffer.from(push_key, "base64url")).toHaveLength(65);

    const { person_id: other } = await makePerson(at, "Bo");
    expect((await at.call("list_alert_targets", { team_id: other })).targets).toEqual([]);
    for (const name of ["put_alert_target", "delete_alert_target", "test_alert"] as const) {
      expect(await expectFailure(at.call(name, { team_id: other, target_id })), name).toMatchObject({
        code: "not_found",
      });
    }
    await at.call("delete_alert_target", { team_id, target_id });
    expect((await at.call("list_alert_targets", { team_id })).targets).toEqual([]);
  });
});

describe("Places where a person is told", () => {
  it("[ALERT-7] what is secret of one is in no answer, and in the database only encrypted", async () => {
    const ana = await startPerson("Ana");
    const answers = [await ana.add(outside), await ana.list()];
    const token = `tk_${randomBytes(12).toString("hex")}`;
    answers.push(await ana.add({ kind: "ntfy", url: "https://ntfy.sh/secret-topic", token }));
    const rows = await sql`SELECT t.*, encode(sealed, 'escape') AS plain FROM alert_targets t`;
    for (const text of [JSON.stringify(answers), JSON.stringify(rows)]) {
      for (const hidden of [secret, "private-path", token, "secret-topic"])
        expect(text).not.toContain(hidden);
    }
  });

  it("[ALERT-6] refuses inner addresses, plain http and what is no address, until an admin allows the first two", async () => {
    const ana = await startPerson("Ana");
    const addresses = [
      "https://127.0.0.1/x",
      "https://[::1]/x",
      "https://169.254.169.254/x",
      "http://example.com/x",
    ];
    for (const url of addresses) {
      expect(await expectFailure(ana.add(hookAt(url))), url).toMatchObject({ code: "bad_request" });
    }
    for (const url of ["ftp://example.com/", "https://ana:word@example.com/", "nowhere"]) {
      expect(await expectFailure(ana.add(hookAt(url))), url).toMatchObject({ code: "bad_request" });
    }
    await inner(true);
    for (const url of addresses) await ana.add(hookAt(url));
    await inner(false);
    expect(await ana.list()).toHaveLength(addresses.length);
  });

  it("[ALERT-1] [LIMIT-1] refuses half of one, a secret that is none, a time zone that is none, and more than alertTargetsMax", async () => {
    const ana = await startPerson("Ana");
    const bad: Partial<InputOf<"put_alert_target">>[] = [
      { to: outside, name: "ops" },
      { to: { kind: "webhook", url: "https://example.com/", secret: "short" }, name: "ops", about: [] },
      {
        to: { kind: "ntfy", url: "https://ntfy.sh/t", token: "x".repeat(limits.alertSecretCharsMax + 1) },
        name: "ops",
        about: [],
      },
      { to: { kind: "ntfy", url: "https://ntfy.sh/" }, name: "ops", about: [] },
      {
        to: outside,
        name: "ops",
        about: [],
        quiet: { from: "22:00", to: "07:00", time_zone: "Mars/Olympus" },
      },
    ];
    for (const input of bad)
      expect(await expectFailure(ana.put(input))).toMatchObject({ code: "bad_request" });
    await ana.add({ kind: "ntfy", url: "https://ntfy.sh/t", token: "x".repeat(limits.alertSecretCharsMax) });
    for (let count = 1; count < limits.alertTargetsMax; count += 1) await ana.add(outside);
    expect(await expectFailure(ana.add(outside))).toMatchObject({ code: "conflict" });
  });

  it("[ALERT-5] a test says what was answered, in a sentence", async () => {
    const receiver = await startAlertReceiver(onTestFinished);
    await inner(true);
    const ana = await startPerson("Ana");
    const { target_id } = await ana.add(hookAt(receiver.url));
    const test = () => transport.call("test_alert", { team_id: ana.team_id, target_id });
    expect(await test()).toEqual({ arrived: true, status: 204, answer: "The server answered 204." });
    receiver.answer = (response) => response.writeHead(400).end("invalid payload of an inner service");
    expect(await test(), "words of an inner address stay there").toEqual({
      arrived: false,
      status: 400,
      answer: "The server answered 400.",
    });
    await inner(false);
    expect(await test()).toMatchObject({
      arrived: false,
      status: null,
      answer: expect.stringMatching(/inner|own machine/),
    });
    expect(receiver.received).toHaveLength(2);
  });
});

it("[ALERT-2] [ALERT-3] an ask reaches the push service of who chose asks, encrypted, with where it is looked at; what waited before does not", {
  tags: "long",
}, async () => {
  const service = await startAlertReceiver(onTestFinished);
  service.answer = respondWith(201);
  await inner(true);
  const browser = createECDH("prime256v1");
  const p256dh = browser.generateKeys("base64url");
  const authSecret = randomBytes(16);
  const session = await createTestSession(transport, "Split auth");
  const ask = (text: string) =>
    transport.call("post_message", {
      session_id: session.sessionId,
      team_id: session.convener,
      content: { text, kind: "ask" },
    });
  await ask("Which vault?");
  const ana = await startPerson("Ana");
  const endpoint = `${service.url}/send/1`;
  await ana.add({ kind: "push", endpoint, p256dh, auth: authSecret.toString("base64url") });
  const { cursor } = await ask("Which key?");
  await expect.poll(() => service.received.length).toBeGreaterThan(0);
  const pushes = service.received.map(({ body }) =>
    JSON.parse(ece.decrypt(body, { version: "aes128gcm", privateKey: browser, authSecret }).toString()),
  );
  expect(pushes).toEqual([
    {
      id: `ask:${session.sessionId}:${cursor}`,
      kind: "ask",
      title: "Split auth",
      body: "Atlas asks: “Which key?”",
      path: `/sessions/${session.slug}?m=${cursor}`,
    },
  ]);
  await expect
    .poll(ana.list)
    .toMatchObject([{ problem: null, waiting: 0, last_sent_at: expect.any(String) }]);
  await inner(false);
});
