import { randomUUID } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import { startBroker } from "@merkle/broker";
import { isSessionOperation } from "@merkle/wire";
import { connect } from "@merkle/wire/client";
import { operations } from "@merkle/wire/schemas";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { buildValidInputs } from "../hostile/subject.js";
import { makePerson } from "../kit/persons.js";
import { startS3Server } from "../kit/s3-server.js";
import { createTestSession, expectFailure, listTexts } from "../kit/session.js";
import { startOneBroker } from "../kit/test-broker.js";
import { connectTestDatabase } from "../kit/test-database.js";
import { type TransportClient, transports } from "../kit/transports.js";
import { download, openBundle, verifyWhole } from "../record/bundles.js";
import { createTalkativeSession, readAllRows } from "./talk.js";
import { untilDone } from "./until-done.js";

/** Starts a broker with archive storage, and creates a concluded session with all kinds of messages. */
async function prepare({ storage = true } = {}) {
  const s3 = await startS3Server();
  const broker = await startOneBroker(storage ? { archive: s3.archive } : {}, onTestFinished);
  const sql = connectTestDatabase(broker.databaseUrl);
  const client = await transports.rest(broker.url);
  onTestFinished(client.close);
  const { person_id: team_id } = await makePerson(client, "Ana");
  const session = await createTalkativeSession(client, sql, team_id);
  const own = { session_id: session.sessionId };
  const archive = () => untilDone(() => client.call("archive_session", { ...own, team_id }));
  const unarchive = () => untilDone(() => client.call("unarchive_session", { ...own, team_id }));
  return { s3, broker, sql, client, session, own, person: team_id, archive, unarchive };
}

/** Reads everything that archiving and restoring a session must leave unchanged. */
async function readAll(client: TransportClient, own: { session_id: string }) {
  const { recipients, ...delivery } = await client.call("message_status", { ...own, message: 3 });
  return {
    history: await client.call("get_history", { ...own, limit: 100 }),
    seal: await client.call("session_seal", own),
    proof: await client.call("session_proof", { ...own, sequence: 3, from_size: 2 }),
    version: await client.call("session_proof", { ...own, document_version: 1 }),
    versions: await client.call("list_doc_versions", own),
    timeline: await client.call("get_timeline", own),
    delivery,
    // Peers become idle over time, so their statuses may differ.
    recipients: recipients.map(({ status: _, ...recipient }) => recipient),
    found: await client.call("search", { query: "hunter OR human OR take" }),
  };
}

/** Reads the files in a bundle except the manifest, whose export time and signature differ each time. */
async function exported(url: string, sessionId: string) {
  const bundle = await openBundle(await download(url, sessionId));
  const files = await Promise.all(
    bundle.names
      .filter((name) => name !== "manifest.json")
      .map(async (name) => [name, await bundle.text(name)]),
  );
  return Object.fromEntries(files);
}

it("[ARCHIVE-2] [ARCHIVE-7] every column of every row comes back as it was, and so do proofs, searches and exports", async () => {
  const { sql, s3, broker, client, own, archive, unarchive } = await prepare();
  const rows = await readAllRows(sql, own.session_id);
  const files = await exported(broker.url, own.session_id);
  const said = await readAll(client, own);
  expect(said.found.hits.length).toBeGreaterThan(0);

  const archived = await archive();
  expect(archived.archived_by).toBe("Ana");
  expect(await s3.keys()).toEqual([archived.bundle.key, archived.rows.key].sort());
  const left = await readAllRows(sql, own.session_id);
  expect(left).toEqual({ messages: [], versions: rows.versions.slice(-1) });
  expect(await sql`SELECT FROM message_words WHERE session_id = ${own.session_id}`).toHaveLength(0);
  expect(await client.call("get_session", own)).toMatchObject({
    archived_at: archived.archived_at,
    bytes: 0,
  });
  expect(await archive()).toEqual(archived);

  expect(await unarchive()).toMatchObject({ messages: rows.messages.length, left: [] });
  expect(await readAllRows(sql, own.session_id)).toEqual(rows);
  expect(await readAll(client, own)).toEqual(said);
  expect(await exported(broker.url, own.session_id)).toEqual(files);
  expect(await s3.keys()).toEqual([]);
  expect(await sql`SELECT FROM archives`).toHaveLength(0);
  expect((await client.call("get_session", own)).archived_at).toBe(null);
  expect((await unarchive()).messages).toBe(rows.messages.length);
  // The session can be archived a second time: nothing left over from the first time interferes.
  await archive();
  await unarchive();
  expect(await readAllRows(sql, own.session_id)).toEqual(rows);
});

it("[ARCHIVE-2] it takes a concluded session, and a verified human who is not an agent's", async () => {
  const { client, session, own, person } = await prepare();
  const open = await createTestSession(client);
  const ofOpen = await expectFailure(
    client.call("archive_session", { session_id: open.sessionId, team_id: person }),
  );
  expect(ofOpen).toMatchObject({ code: "conflict", message: expect.stringContaining("Conclude it first") });
  const guest = await client.call("create_person", { name: "Eve" });
  for (const [who, code] of [
    [session.convener, "forbidden"],
    [guest.person_id, "forbidden"],
  ] as const) {
    for (const operation of ["archive_session", "unarchive_session"] as const)
      expect((await expectFailure(client.call(operation, { ...own, team_id: who }))).code).toBe(code);
  }
});

describe("[ARCHIVE-1] the storage", () => {
  it("is named by what the broker is started with, and else by the refusal", { tags: "long" }, async () => {
    const { archive, own, client } = await prepare({ storage: false });
    expect(await expectFailure(archive())).toMatchObject({
      code: "conflict",
      message: expect.stringContaining("MERKLE_ARCHIVE_URL=s3://"),
    });
    expect((await client.call("get_history", own)).messages.length).toBeGreaterThan(0);
  });

  it("is refused at the start where it is none, with no word of the keys", async () => {
    const keys = { accessKeyId: "AKIDHUSH", secretAccessKey: "hush-hush", sessionToken: undefined };
    for (const [url, problem] of [
      ["https://bucket/prefix", "must be s3://bucket/prefix"],
      ["s3://key:secret@bucket/prefix", "must be s3://bucket/prefix"],
      ["s3://bucket/prefix?secret=hush-hush", "accepts only region and endpoint"],
      ["s3://bucket?endpoint=http://93.184.216.34", "https://"],
      ["s3://bucket?endpoint=ftp://127.0.0.1", "the form https://host:port"],
    ] as const) {
      const failure = await startBroker({ home: "/dev/null/nowhere", archive: { ...keys, url } }).catch(
        (error) => error,
      );
      expect(failure).toMatchObject({ code: "bad_setting", message: expect.stringContaining(problem) });
      expect(failure.message).not.toMatch(/hush|HUSH/);
    }
    const keyless = { url: "s3://bucket", accessKeyId: "A", secretAccessKey: "", sessionToken: undefined };
    await expect(startBroker({ home: "/dev/null/nowhere", archive: keyless })).rejects.toThrow(
      "AWS_SECRET_ACCESS_KEY",
    );
  });
});

describe("[ARCHIVE-3] what fails changes nothing:", () => {
  it("a storage that is gone, that does not know the key, or that gives back something else", {
    tags: "long",
  }, async () => {
    const { s3, broker, sql, client, own, archive } = await prepare();
    const rows = await readAllRows(sql, own.session_id);
    const unchanged = async () => {
      expect(await readAllRows(sql, own.session_id)).toEqual(rows);
      expect((await client.call("get_session", own)).archived_at).toBe(null);
      expect((await client.call("get_history", own)).messages.length).toBeGreaterThan(0);
    };
    await s3.kill();
    expect(await expectFailure(archive())).toMatchObject({
      code: "unavailable",
      details: { outcome: "none" },
    });
    await unchanged();
    await s3.start();
    for (const meddling of ["alter", "truncate"] as const) {
      for (const ending of [".zip", ".rows.gz"]) {
        s3.meddle = (method, key) => (method === "GET" && key.endsWith(ending) ? meddling : "pass");
        expect(await expectFailure(archive()), `${meddling} ${ending}`).toMatchObject({
          code: "unavailable",
          message: expect.stringContaining("The archive's storage"),
        });
        await unchanged();
        // The failed attempts, including the first, left no objects behind.
        expect(await s3.keys()).toEqual([]);
      }
    }
    s3.meddle = () => "pass";
    expect(await sql`SELECT FROM archives`).toHaveLength(0);

    await broker.stop();
    const wrong = await startOneBroker(
      { databaseUrl: broker.databaseUrl, archive: { ...s3.archive, secretAccessKey: "not-the-secret" } },
      onTestFinished,
    );
    const other = await transports.rest(wrong.url);
    onTestFinished(other.close);
    const { person_id: team_id } = await makePerson(other, "Bea");
    const refused = await expectFailure(other.call("archive_session", { ...own, team_id }));
    expect(refused).toMatchObject({
      code: "unavailable",
      details: { status: 403, storage_code: "SignatureDoesNotMatch" },
    });
    expect(`${JSON.stringify(refused)} ${wrong.logged.join("\n")}`).not.toContain("not-the-secret");
    expect(await readAllRows(sql, own.session_id)).toEqual(rows);
  });

  it("objects that another node has given up, because it took this one for dead", {
    tags: "long",
  }, async () => {
    const { s3, sql, client, own, archive } = await prepare();
    s3.meddle = async (method, key) => {
      if (method === "GET" && key.endsWith(".rows.gz")) await sql`UPDATE archives SET state = 'removing'`;
      return "pass" as const;
    };
    expect((await expectFailure(archive())).code).toBe("conflict");
    expect((await client.call("get_session", own)).archived_at).toBe(null);
    expect(await s3.keys()).toEqual([]);
    expect(await sql`SELECT FROM archives`).toHaveLength(0);
  });

  it("a text that is removed while the bundle is on its way, and a record that is damaged", {
    tags: "long",
  }, async () => {
    const { s3, sql, client, session, own, person, archive } = await prepare();
    s3.meddle = async (method, key) => {
      s3.meddle = () => "pass";
      expect(key).toMatch(/\.zip$/);
      expect(method).toBe("PUT");
      await client.call("redact_message", { ...own, team_id: person, sequence: 4 });
      return "pass" as const;
    };
    expect(await expectFailure(archive())).toMatchObject({
      code: "conflict",
      message: expect.stringContaining("changed during archiving"),
    });
    expect(await s3.keys()).toEqual([]);
    expect((await client.call("get_history", own)).messages.length).toBeGreaterThan(0);

    await sql`ALTER TABLE messages DISABLE TRIGGER messages_change_by_redaction`;
    await sql`UPDATE messages SET content = '{"text":"forged"}' WHERE session_id = ${own.session_id} AND sequence = 3`;
    await sql`ALTER TABLE messages ENABLE TRIGGER messages_change_by_redaction`;
    expect(await expectFailure(archive())).toMatchObject({
      code: "conflict",
      message: expect.stringContaining(`The record of "${session.slug}" does not verify`),
    });
    expect(await s3.keys()).toEqual([]);
    expect((await client.call("get_session", own)).archived_at).toBe(null);
  });
});

it("[ARCHIVE-4] the bundle verifies without the broker, as anybody fetches it, and is the one that was told", async () => {
  const { s3, client, own, archive } = await prepare();
  const { head } = await client.call("session_seal", own);
  const { bundle, rows } = await archive();
  const bytes = await readFile(s3.fileOf(bundle.key));
  expect(bytes.length).toBe(bundle.bytes);
  const report = await verifyWhole(await openBundle(bytes), { trusted: { heads: [head] } });
  expect(report).toMatchObject({ ok: true, findings: [] });
  expect((await readFile(s3.fileOf(rows.key))).length).toBe(rows.bytes);
});

it("[ARCHIVE-5] an operation on an archived session is refused unless its rules say that it goes without its messages", async () => {
  const { sql, client, session, own, person, archive } = await prepare();
  await archive();
  const inputs: Readonly<Record<string, object>> = buildValidInputs({
    session_id: session.sessionId,
    team_id: session.convener,
    person_id: person,
  });
  const answers = new Map<string, string>();
  for (const operation of operations.filter(isSessionOperation)) {
    if (operation.name === "unarchive_session") continue;
    const answer = await client.callRaw(operation.name, inputs[operation.name]).then(
      () => "served",
      (error) => error.code,
    );
    answers.set(operation.name, answer);
    if (operation.whileArchived) expect(answer, operation.name).not.toBe("session_archived");
    else if (operation.afterClosing === "refused") expect(answer, operation.name).toBe("session_closed");
    else expect(["session_archived", "forbidden"], `${operation.name}: ${answer}`).toContain(answer);
  }
  const served = [...answers].flatMap(([name, answer]) => (answer === "served" ? [name] : []));
  expect(served.sort()).toEqual(
    [
      "archive_session",
      "get_head_proof",
      "get_session",
      "list_claims",
      "list_participants",
      "list_peers",
      "list_state",
      "list_tasks",
      "read_session_doc",
      "session_seal",
    ].sort(),
  );
  const refused = await expectFailure(client.call("get_history", own));
  expect(refused.message).toContain(`merkle unarchive ${session.slug}`);
  for (const input of [{ version: 1 }, { since_version: 1 }, { at: "2026-01-01T00:00:00Z" }])
    expect((await expectFailure(client.call("read_session_doc", { ...own, ...input }))).code).toBe(
      "session_archived",
    );
  expect((await expectFailure(client.call("brief", { session: session.slug }))).code).toBe(
    "session_archived",
  );
  await expect(download(client.url, session.slug)).rejects.toThrow("session_archived");
  // The broker cannot append its own messages to an archived feed, and cannot delete other sessions' rows.
  const [row] = await sql`
    SELECT outcome FROM append_messages(${JSON.stringify([
      {
        session_id: own.session_id,
        id: randomUUID(),
        type: "system",
        content: '{"event":"x"}',
        after_closing: true,
        salt: "00".repeat(16),
      },
    ])}::text::json, true)`;
  expect(row?.["outcome"]).toBe("closed");
  const other = await createTestSession(client);
  await other.post(other.convener, "This stays.");
  await expect(sql`DELETE FROM messages`).rejects.toThrow("messages is append-only");
  await expect(sql`TRUNCATE messages`).rejects.toThrow("messages is append-only");
});

describe("[ARCHIVE-6] what a peer had not got", () => {
  it("is unread again when it is back, and an open subscription goes on", { tags: "long" }, async () => {
    const { broker, client, session, own, archive, unarchive } = await prepare();
    const at = { ...own, team_id: session.birch.credential };
    const unread = await client.call("check_messages", at);
    expect(unread.messages.length).toBeGreaterThan(3);
    const live = connect({ url: broker.url, WebSocket, retry: { baseMs: 10, capMs: 50 } });
    onTestFinished(() => live.close());
    const changed = new Promise<void>((resolve) => {
      void live
        .follow({ session: session.slug, onMessage: () => undefined, onChanged: () => resolve() })
        .ready.then(archive);
    });
    await changed;
    await archive();
    expect((await expectFailure(client.call("check_messages", at))).code).toBe("session_archived");
    expect((await expectFailure(client.call("ack", { ...at, cursor: 3 }))).code).toBe("session_archived");
    await unarchive();
    // The cursor from joining does not acknowledge the messages that the first read returned, so all of them are
    // delivered again.
    const again = await client.call("wait_for_messages", {
      ...at,
      since_cursor: session.birch.cursor,
      timeout: 0,
    });
    expect(listTexts(again.messages)).toEqual(listTexts(unread.messages));
  });

  it("is not passed over by a node that has not heard that the rows are gone", async () => {
    const { sql, client, broker, session, own } = await prepare();
    const at = { ...own, team_id: session.cedar.credential };
    await broker.restart();
    // Simulates the state after one node has deleted the rows but before another node is notified.
    await client.call("get_session", own);
    const [peer] =
      await sql`SELECT acked, offered FROM peers WHERE session_id = ${own.session_id} AND team_id = ${at.team_id.split(".")[0] ?? ""}`;
    await sql`INSERT INTO archives VALUES (${own.session_id}, 'x', 'away', ${randomUUID()}, ${randomUUID()}, 1, ${Buffer.alloc(32)}, 1, ${Buffer.alloc(32)}, 'Ana', now())`;
    await sql`UPDATE feeds SET archived_at = now() WHERE session_id = ${own.session_id}`;
    await sql`DELETE FROM messages WHERE session_id = ${own.session_id}`;
    for (const call of [
      () => client.call("check_messages", at),
      () => client.call("wait_for_messages", { ...at, timeout: 0 }),
      () => client.call("wait_for_messages", { ...at, since_cursor: 2, timeout: 0 }),
    ]) {
      expect((await expectFailure(call())).code).toBe("session_archived");
    }
    await broker.stop();
    expect(
      await sql`SELECT acked, offered FROM peers WHERE session_id = ${own.session_id} AND team_id = ${at.team_id.split(".")[0] ?? ""}`,
    ).toEqual([peer]);
  });
});

it("[ARCHIVE-7] objects that are gone or were changed bring nothing back, and change nothing", {
  tags: "long",
}, async () => {
  const { s3, sql, own, archive, unarchive } = await prepare();
  const rows = await readAllRows(sql, own.session_id);
  const { rows: object } = await archive();
  const file = s3.fileOf(object.key);
  const bytes = await readFile(file);
  const altered = Buffer.from(bytes);
  altered[20] = (altered[20] ?? 0) ^ 1;
  const stillAway = async () => {
    expect((await readAllRows(sql, own.session_id)).messages).toEqual([]);
    const [feed] = await sql`SELECT archived_at FROM feeds WHERE session_id = ${own.session_id}`;
    expect(feed?.["archived_at"]).not.toBe(null);
  };
  await writeFile(file, altered);
  expect(await expectFailure(unarchive())).toMatchObject({
    code: "conflict",
    message: expect.stringContaining("was changed in the archive's storage"),
  });
  await stillAway();
  await writeFile(file, bytes.subarray(0, 100));
  expect((await expectFailure(unarchive())).code).toBe("conflict");
  await rm(file);
  expect(await expectFailure(unarchive())).toMatchObject({
    code: "conflict",
    message: expect.stringContaining("404 NoSuchKey"),
  });
  await stillAway();
  await writeFile(file, bytes);
  s3.meddle = (method) => (method === "GET" ? "truncate" : "pass");
  expect(await expectFailure(unarchive())).toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("The archive's storage closed the connection"),
  });
  await stillAway();
  // The reply lists the objects that could not be deleted. The next call deletes them.
  s3.meddle = async (method) => {
    if (method === "DELETE") await s3.kill();
    return "pass" as const;
  };
  expect((await unarchive()).left).toEqual([
    expect.stringContaining(".zip"),
    expect.stringContaining(".rows.gz"),
  ]);
  expect(await readAllRows(sql, own.session_id)).toEqual(rows);
  s3.meddle = () => "pass";
  await s3.start();
  expect((await unarchive()).left).toEqual([]);
  expect(await s3.keys()).toEqual([]);
});

it("[ARCHIVE-8] texts and persons are removed when the session is back; before that it is said so", async () => {
  const { s3, sql, client, session, own, person, archive, unarchive } = await prepare();
  await archive();
  const sequence = 4;
  expect(
    (await expectFailure(client.call("redact_message", { ...own, team_id: person, sequence }))).code,
  ).toBe("session_archived");
  expect(await expectFailure(client.call("erase_person", { team_id: person, confirm: "Ana" }))).toMatchObject(
    {
      code: "conflict",
      details: { archived: [session.slug] },
    },
  );
  const { rows } = await lastPage(client, person);
  expect(rows.at(-1)).toMatchObject({ kind: "archived_session", row: { slug: session.slug } });
  await unarchive();
  await client.call("redact_message", { ...own, team_id: person, sequence });
  expect((await client.call("erase_person", { team_id: person, confirm: "Ana" })).done).toBe(true);
  const { person_id: team_id } = await makePerson(client, "Bea");
  await untilDone(() => client.call("archive_session", { ...own, team_id }));
  expect(await s3.keys()).toHaveLength(2);
  await untilDone(() => client.call("unarchive_session", { ...own, team_id }));
  const [removed] =
    await sql`SELECT salt, content FROM messages WHERE session_id = ${own.session_id} AND sequence = ${sequence}`;
  expect(removed).toMatchObject({ salt: null, content: expect.stringContaining('"redacted":true') });
});

async function lastPage(client: TransportClient, team_id: string) {
  let page = await client.call("export_person", { team_id });
  while (page.next !== null) page = await client.call("export_person", { team_id, after: page.next });
  return page;
}

it("[ARCHIVE-9] a database that was restored brings a session back and leaves the objects to the one that made them", async () => {
  const { s3, sql, own, archive, unarchive } = await prepare();
  const rows = await readAllRows(sql, own.session_id);
  await archive();
  await sql`UPDATE archives SET epoch = ${randomUUID()}`;
  expect((await unarchive()).left).toHaveLength(2);
  expect(await readAllRows(sql, own.session_id)).toEqual(rows);
  expect(await s3.keys()).toHaveLength(2);
  expect((await unarchive()).left).toEqual([]);
  expect(await s3.keys()).toHaveLength(2);
});
