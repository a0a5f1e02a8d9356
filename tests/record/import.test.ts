import { readdir } from "node:fs/promises";
import { request } from "node:http";
import { limits } from "@merkle/wire/limits";
import { toCanonicalJson } from "@merkle/wire/record";
import { beforeAll, describe, expect, it } from "vitest";
import { createCleanup } from "../kit/cleanup.js";
import { makePerson } from "../kit/persons.js";
import { createTestSession, expectFailure } from "../kit/session.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { connectTestDatabase } from "../kit/test-database.js";
import { brokerTransports, type TransportClient } from "../kit/transports.js";
import { download, exportBundle, importInto, verifyWhole, withFiles, zipTexts } from "./bundles.js";
import { createConcludedSession } from "./full-session.js";
import { makeBundle, makeKey, signManifest } from "./made-bundle.js";

const cleanup = createCleanup();
let origin: TestBroker;
let transport: TransportClient;
let other: TestBroker;
let there: TransportClient;

beforeAll(async () => {
  [origin, other] = await Promise.all([startTestBroker({}, cleanup), startTestBroker({}, cleanup)]);
  [transport, there] = await Promise.all([
    brokerTransports.rest(origin.url),
    brokerTransports.rest(other.url),
  ]);
});

const session_id_of = (body: unknown): string => String(Object(body).session_id);

describe("a bundle that is imported", () => {
  it("[IMPORT-1] [IMPORT-2] is there to be read as it was, closed, with everybody who took part", async () => {
    const session = await createConcludedSession(transport, "Brought over");
    const bytes = await download(origin.url, session.slug);
    const { status, body } = await importInto(other.url, bytes);
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { slug: "brought-over", title: "Brought over", record_id: session.sessionId, size: 8, added: 8 },
    });
    const session_id = session_id_of(body);
    expect(session_id).not.toBe(session.sessionId);

    const ask = async (from: TransportClient, id: string) => {
      const { messages } = await from.call("get_history", { session_id: id });
      return messages.map(({ session_id: _, ...message }) => message);
    };
    expect(await ask(there, session_id)).toEqual(await ask(transport, session.sessionId));
    const doc = await there.call("read_session_doc", { session_id });
    expect(doc).toMatchObject({ version: 3, content: expect.stringContaining("All done.") });
    expect(await there.call("get_session", { session_id })).toMatchObject({
      status: "closed",
      conclusion: "All done.",
      origin: { record_id: session.sessionId },
      seal: { size: 7 },
    });
    const { participants } = await there.call("list_participants", { session_id, include_folded: true });
    expect(participants.map((team) => team.team_name)).toEqual(["Atlas", "Birch"]);
    expect(await there.call("get_state", { session_id, key: "frozen" })).toMatchObject({
      value: { on: true },
    });
  });

  it("[IMPORT-3] changes nothing the second time, and a later one adds what is new", async () => {
    const session = await createConcludedSession(transport);
    const { sessionId: session_id, convener: team_id } = session;
    const early = await download(origin.url, session.slug);
    const first = await importInto(other.url, early);
    await transport.call("redact_message", {
      session_id,
      team_id: session.birch,
      sequence: 4,
      reason: "late",
    });
    await transport.call("conclude_session", { session_id, team_id, summary_section: "Done again." });
    const late = await download(origin.url, session.slug);
    const second = await importInto(other.url, late);
    expect(second).toMatchObject({
      status: 200,
      body: { ...Object(first.body), size: 10, added: 2, document_version: 4, root: expect.any(String) },
    });
    const copy = session_id_of(first.body);
    const { messages } = await there.call("get_history", { session_id: copy });
    expect(messages).toHaveLength(10);
    expect(messages[3]).toMatchObject({
      content: { redacted: true },
      redaction: { by: "Birch", reason: "late" },
    });
    expect(await there.call("get_session", { session_id: copy })).toMatchObject({
      conclusion: "Done again.",
    });
    // Importing an older bundle adds nothing and removes nothing.
    for (const bytes of [late, early])
      expect((await importInto(other.url, bytes)).body).toMatchObject({
        session_id: copy,
        added: 0,
        size: 10,
      });
  });

  it("[IMPORT-9] has the tasks and claims that its feed tells of, a later one goes on from there, and no text that was removed", async () => {
    const session = await createTestSession(transport, "With tasks");
    const { sessionId: session_id } = session;
    const { credential: birch } = await session.join("Birch");
    const atlas = { session_id, team_id: session.convener };
    const oak = { session_id, team_id: birch };
    const ana = { session_id, team_id: (await makePerson(transport, "Ana")).person_id };
    const secret = "the key is hunter2";
    for (const task of [
      { title: "one", text: "first", labels: ["auth"], links: [{ section: "Goals" }], files: ["a.ts"] },
      { title: "two", blocked_by: [1], assignee: "Birch" },
      { title: "three" },
      { title: "four" },
      { title: "five", text: secret },
    ])
      await transport.call("create_task", { ...atlas, ...task });
    await transport.call("claim_task", { ...oak, task: 1 });
    await transport.call("finish_task", { ...oak, task: 1, result: "they rotate" });
    await transport.call("claim_task", { ...oak, task: 3 });
    await transport.call("split_task", { ...oak, task: 3, parts: [{ title: "a" }, { title: "b" }] });
    await transport.call("update_task", { ...atlas, task: 6, files: ["docs/**"] });
    await transport.call("claim_task", { ...oak, task: 6 });
    await transport.call("update_task", { ...atlas, task: 4, state: "cancelled", reason: "not now" });
    await transport.call("claim", { ...oak, scope: "repo:src/**", reason: "new tokens", ttl: 600 });
    await transport.call("claim", { ...oak, scope: "deploy" });
    await transport.call("release", { ...oak, scope: "deploy" });
    const lists = async (from: TransportClient, id: string) => {
      const { tasks } = await from.call("list_tasks", { session_id: id, state: "all" });
      const { claims } = await from.call("list_claims", { session_id: id });
      return { tasks: tasks.map(({ session_id: _, ...task }) => task), claims };
    };
    const first = await importInto(other.url, await download(origin.url, session.slug));
    const copy = session_id_of(first.body);
    const before = await lists(transport, session_id);
    expect(before.tasks.map(({ state }) => state)).toEqual([
      ...["done", "open", "blocked", "cancelled", "open", "claimed", "open"],
    ]);
    expect(before.claims.map(({ scope }) => scope)).toEqual(["repo:docs/**", "repo:src/**"]);
    expect(before.tasks[0]?.files).toEqual(["repo:a.ts"]);
    expect(await lists(there, copy)).toEqual(before);
    const { history } = await there.call("get_task", { session_id: copy, task: 1 });
    expect(history).toHaveLength(3);

    await transport.call("claim_task", { ...oak, task: 2 });
    await transport.call("update_task", { ...atlas, task: 7, title: "b, later", labels: ["late"] });
    await transport.call("release", { ...oak, scope: "repo:src/**" });
    const { messages } = await transport.call("get_history", { session_id });
    const told = messages.find(({ content }) => Object(content).text === secret);
    await transport.call("redact_message", { ...ana, sequence: told?.sequence ?? 0, reason: "a secret" });
    await importInto(other.url, await download(origin.url, session.slug));
    const after = await lists(transport, session_id);
    expect(after.tasks[4]).toMatchObject({ title: "(removed)", text: "" });
    expect(await lists(there, copy)).toEqual(after);
  });

  it("[IMPORT-4] verifies when it is exported again, under the keys of where it comes from", {
    tags: "long",
  }, async () => {
    const session = await createConcludedSession(transport);
    const { body } = await importInto(other.url, await download(origin.url, session.slug));
    const original = await exportBundle(origin.url, session.slug);
    const copy = await exportBundle(other.url, session_id_of(body));
    const report = await verifyWhole(copy, {
      trusted: { keys: JSON.parse(await original.text("keys.json")) },
    });
    expect(report.findings).toEqual([]);
    expect(report).toMatchObject({ ok: true, size: 8, signed_by: { trust: "known" } });
    expect(await copy.text("feed.ndjson")).toBe(await original.text("feed.ndjson"));
    for (const name of copy.names) {
      const own = name === "manifest.json" || name === "heads.ndjson" ? null : await original.text(name);
      if (own !== null) expect(await copy.text(name)).toBe(own);
    }
    const again = await exportBundle(other.url, session_id_of(body));
    expect(await again.text("manifest.json")).toBe(await copy.text("manifest.json"));
    // The original broker refuses the copy, because the session already exists there.
    const third = await importInto(origin.url, copy.bytes);
    expect(third).toMatchObject({ status: 409, body: { error: { code: "conflict" } } });
  });

  it("[IMPORT-5] is read-only: nobody joins, posts, concludes or redacts, whatever credential they had", async () => {
    const session = await createConcludedSession(transport);
    const { body } = await importInto(other.url, await download(origin.url, session.slug));
    const session_id = session_id_of(body);
    const { person_id } = await makePerson(there, "Ana");
    const attempts = [
      () => there.call("join_session", { session_id, team_name: "Cedar" }),
      () => there.call("post_message", { session_id, team_id: person_id, content: { text: "hi" } }),
      () => there.call("conclude_session", { session_id, team_id: person_id, summary_section: "x" }),
    ];
    for (const attempt of attempts)
      expect(await expectFailure(attempt())).toMatchObject({ code: "session_closed" });
    const redacting = there.call("redact_message", { session_id, team_id: person_id, sequence: 2 });
    expect(await expectFailure(redacting)).toMatchObject({ code: "conflict" });
    const asTeam = there.call("post_message", {
      session_id,
      team_id: session.convener,
      content: { text: "hi" },
    });
    expect(await expectFailure(asTeam)).toMatchObject({ code: "unauthorized" });
  });

  it("[IMPORT-6] that does not verify changes nothing, and the answer names the first wrong thing", async () => {
    const session = await createConcludedSession(transport);
    const bundle = await exportBundle(origin.url, session.slug);
    const lines = (await bundle.text("feed.ndjson")).split("\n");
    const changed = lines
      .map((line, place) => (place === 1 ? line.replace("Hello", "Hullo") : line))
      .join("\n");
    const tampered = await withFiles(bundle, { "feed.ndjson": changed });
    const refused = await importInto(other.url, tampered);
    expect(refused).toMatchObject({
      status: 400,
      body: {
        error: {
          code: "bad_request",
          details: { findings: [expect.objectContaining({ sequence: 2 }), ...[expect.anything()]] },
        },
      },
    });
    const { sessions } = await there.call("list_sessions", { query: session.slug });
    expect(sessions).toEqual([]);
    expect(await importInto(other.url, Buffer.from("no zip at all"))).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining("This is not a bundle.") } },
    });
  });

  it("[IMPORT-6] whose beginning is another than what is here is a conflict", async () => {
    const session = await createConcludedSession(transport);
    const bytes = await download(origin.url, session.slug);
    const copy = session_id_of((await importInto(other.url, bytes)).body);
    const sql = connectTestDatabase(other.databaseUrl, cleanup);
    await sql.begin(async (tx) => {
      await tx`SET LOCAL session_replication_role = replica`;
      await tx`UPDATE messages SET priority = 'low' WHERE session_id = ${copy} AND sequence = 2`;
    });
    expect(await importInto(other.url, bytes)).toMatchObject({
      status: 409,
      body: { error: { code: "conflict", details: { log: "feed", session_id: copy } } },
    });
  });

  it("[IMPORT-8] of another key takes nobody's place: a forged record that came first does not keep the genuine one out", async () => {
    const genuine = makeBundle({ messages: 12, sealedAt: 9 });
    const mallory = makeKey();
    const forged = makeBundle({ messages: 12, sealedAt: 9, keys: [mallory], recordId: genuine.recordId });
    const first = await importInto(other.url, await zipTexts(forged.texts));
    expect(first).toMatchObject({
      status: 200,
      body: { record_id: genuine.recordId, key_id: mallory.key.key_id },
    });
    const second = await importInto(other.url, await zipTexts(genuine.texts));
    expect(second).toMatchObject({ status: 200, body: { added: 12, key_id: genuine.key.key.key_id } });
    expect(session_id_of(second.body)).not.toBe(session_id_of(first.body));
    const copied = await there.call("get_session", { session_id: session_id_of(second.body) });
    expect(copied.origin).toMatchObject({ record_id: genuine.recordId, key_id: genuine.key.key.key_id });
    expect(await importInto(other.url, await zipTexts(genuine.texts))).toMatchObject({
      status: 200,
      body: { added: 0 },
    });
    // The broker of the original session also refuses a forged record of it.
    const session = await createConcludedSession(transport);
    const posing = makeBundle({ messages: 12, sealedAt: 9, keys: [mallory], recordId: session.sessionId });
    expect(await importInto(origin.url, await zipTexts(posing.texts))).toMatchObject({
      status: 409,
      body: { error: { message: expect.stringContaining("never belonged to this broker") } },
    });
  });

  it("[IMPORT-4] of format 1 is taken in when the head's key signed it, and given on as it came", async () => {
    const made = makeBundle({ format: 1, messages: 12, sealedAt: 9 });
    const { status, body } = await importInto(other.url, await zipTexts(made.texts));
    expect(status).toBe(200);
    const copy = await exportBundle(other.url, session_id_of(body));
    for (const [name, text] of made.texts) expect(await copy.text(name)).toBe(text);
    const stranger = makeKey();
    const { head, session } = JSON.parse(made.texts.get("manifest.json") ?? "");
    made.texts.set("keys.json", `${toCanonicalJson([made.key.key, stranger.key])}\n`);
    signManifest(made.texts, { session, head, key: stranger, version: 1 });
    expect(await importInto(other.url, await zipTexts(made.texts))).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining("no trusted key has signed") } },
    });
  });

  it("[IMPORT-7] that unpacks to very much is given up, and others are answered meanwhile", {
    tags: "long",
  }, async () => {
    const made = makeBundle({ messages: 12, sealedAt: 9 });
    made.texts.set("feed.ndjson", "\n".repeat(100_000_000));
    const bomb = await zipTexts(made.texts);
    expect(bomb.length).toBeLessThan(200_000);
    made.texts.set("feed.ndjson", "");
    const importing = importInto(other.url, bomb);
    const importer = importing.then(() => true);
    let answered = 0;
    while (!(await Promise.race([importer, fetch(`${other.url}/health`).then(() => false)]))) answered += 1;
    expect(answered).toBeGreaterThan(0);
    expect(await importing).toMatchObject({
      status: 400,
      body: {
        error: {
          details: { findings: expect.arrayContaining([expect.objectContaining({ file: "feed.ndjson" })]) },
        },
      },
    });
  });

  it("[IMPORT-7] is bounded, and nothing of it stays behind", async () => {
    const response = await fetch(`${other.url}/api/import`, {
      method: "POST",
      headers: { "content-type": "text/plain" },
      body: "x",
    });
    expect(response.status).toBe(400);
    const status = await new Promise((resolve, reject) => {
      const asking = request(`${other.url}/api/import`, {
        method: "POST",
        headers: { "content-type": "application/zip", "content-length": limits.bundleBytesMax + 1 },
      });
      asking.on("response", (answer) => {
        resolve(answer.statusCode);
        asking.destroy();
      });
      asking.on("error", reject);
      asking.write("PK");
    });
    expect(status).toBe(413);
    expect(await readdir(`${other.home}/imports`).catch(() => [])).toEqual([]);
  });
});
