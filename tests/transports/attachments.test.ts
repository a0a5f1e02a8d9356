import { createHash, randomBytes, randomUUID } from "node:crypto";
import { deleteUnnamedFiles, openDatabase, purgeUploads, settleMessageFiles } from "@merkle/db";
import type { MessageFile } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { beforeAll, describe, expect, it } from "vitest";
import { createCleanup } from "../kit/cleanup.js";
import { changeSettings, makePerson } from "../kit/persons.js";
import { createTestSession, expectFailure, toBareId } from "../kit/session.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { connectTestDatabase } from "../kit/test-database.js";
import { brokerTransports, type TransportClient, toEntryHeaders, transports } from "../kit/transports.js";

let broker: TestBroker;
let transport: TransportClient;

const cleanup = createCleanup();
beforeAll(async () => {
  broker = await startTestBroker({}, cleanup);
  transport = await transports.rest(broker.url);
});

interface Member {
  readonly session_id: string;
  readonly team_id: string;
}

async function startSession(): Promise<{ readonly atlas: Member; readonly birch: Member }> {
  const session = await createTestSession(transport);
  const { sessionId: session_id } = session;
  return {
    atlas: { session_id, team_id: session.convener },
    birch: { session_id, team_id: (await session.join("Birch")).credential },
  };
}

function put(
  { session_id, team_id }: Member,
  bytes: Uint8Array<ArrayBuffer> | string,
  query: Readonly<Record<string, string>> = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const search = new URLSearchParams({ name: "build.log", ...query });
  return fetch(`${transport.url}/api/sessions/${session_id}/files?${search}`, {
    method: "PUT",
    headers: { "x-team-id": team_id, "content-type": "application/octet-stream", ...headers },
    body: bytes,
  });
}

async function upload(
  by: Member,
  bytes: Uint8Array<ArrayBuffer> | string,
  name = "build.log",
): Promise<MessageFile> {
  const response = await put(by, bytes, { name });
  expect(response.status).toBe(200);
  return response.json();
}

const post = (by: Member, ...attachments: MessageFile[]) =>
  transport.call("post_message", { ...by, content: { text: "Here.", attachments } });

function get(
  { session_id, team_id }: Member,
  message: number,
  digest: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(`${transport.url}/api/sessions/${session_id}/messages/${message}/files/${digest}`, {
    headers: { "x-team-id": team_id, ...headers },
  });
}

const sha256 = (bytes: Uint8Array | string) => createHash("sha256").update(bytes).digest("hex");
const readCode = async (response: Response): Promise<string> => (await response.json()).error.code;

describe("Files of messages", () => {
  it("[ATTACH-6] [ATTACH-8] [ISOLATION-1] a file of one mesh can neither be read nor attached in another, even by its digest", async () => {
    const { atlas } = await startSession();
    const bytes = randomBytes(1_000);
    const file = await upload(atlas, bytes);
    const { cursor } = await post(atlas, file);
    const { name: mesh } = await transport.call("create_mesh", { name: `mesh-${randomUUID().slice(0, 8)}` });
    const there = await brokerTransports.rest(broker.url, { mesh });
    const session = await createTestSession(there);
    const own = { session_id: session.sessionId, team_id: session.convener };

    const read = await get(atlas, cursor, file.digest, toEntryHeaders({ mesh }));
    expect(read.status).toBe(404);
    const content = { text: "Mine.", attachments: [file] };
    expect(await expectFailure(there.call("post_message", { ...own, content }))).toMatchObject({
      code: "bad_request",
    });
    // The same bytes, uploaded there, are a file of that mesh.
    const again = await put(own, bytes, {}, toEntryHeaders({ mesh }));
    expect(await again.json()).toEqual(file);
    await there.call("post_message", { ...own, content });
  });

  it("[ATTACH-1] [ATTACH-8] [ATTACH-10] [ATTACH-13] are uploaded, posted, listed and read back byte for byte", async () => {
    const { atlas, birch } = await startSession();
    const bytes = randomBytes(700_000);
    const file = await upload(atlas, bytes, "core.bin");
    expect(file).toEqual({
      name: "core.bin",
      size: bytes.length,
      type: "application/octet-stream",
      digest: sha256(bytes),
    });
    const { cursor } = await post(atlas, file);
    const { messages } = await transport.call("get_history", birch);
    expect(messages.find(({ sequence }) => sequence === cursor)?.content["attachments"]).toEqual([file]);
    const whole = await get(birch, cursor, file.digest);
    expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true);
    const part = await get(birch, cursor, file.digest, { range: "bytes=262140-262150" });
    expect(part.status).toBe(206);
    expect(Buffer.from(await part.arrayBuffer())).toEqual(bytes.subarray(262_140, 262_151));

    const { files } = await transport.call("list_files", { ...birch, name: "CORE" });
    expect(files).toMatchObject([{ ...file, message: cursor }]);
    expect((await transport.call("list_files", { ...birch, name: "other" })).files).toEqual([]);
  });

  it("[ATTACH-2] an upload continues where it broke off, and other bytes are refused", async () => {
    const { atlas } = await startSession();
    const bytes = randomBytes(600_000);
    const query = { upload: randomUUID(), sha256: sha256(bytes) };
    const send = (from: number, to: number, given = bytes) =>
      put(atlas, given.subarray(from, to), query, {
        "content-range": `bytes ${from}-${to - 1}/${bytes.length}`,
      });
    const first = await send(0, 400_000);
    expect([first.status, await first.json()]).toEqual([202, { received: 400_000 }]);
    const asked = await put(atlas, "", query, { "content-range": `bytes */${bytes.length}` });
    expect(await asked.json()).toEqual({ received: 400_000 });
    expect(await readCode(await send(100_000, 200_000))).toBe("conflict");
    const last = await send(400_000, 600_000);
    expect(await last.json()).toMatchObject({ digest: sha256(bytes) });
    // A repeated request returns the same file.
    expect(await (await send(400_000, 600_000)).json()).toMatchObject({ digest: sha256(bytes) });

    const again = { upload: randomUUID(), sha256: sha256(bytes) };
    const other = await put(atlas, randomBytes(10), again);
    expect(await readCode(other)).toBe("bad_request");
  });

  it("[ATTACH-3] a name is no path and has no control or direction characters", async () => {
    const { atlas } = await startSession();
    for (const name of [
      "../x",
      "a/b",
      "a\\b",
      ".",
      "..",
      "a\nb",
      "a\u202egpj.exe",
      "a\u200bb",
      "x".repeat(201),
      " ",
    ])
      expect(await readCode(await put(atlas, "x", { name }))).toBe("bad_request");
    expect((await upload(atlas, "x", "Überblick (1).txt")).name).toBe("Überblick (1).txt");
  });

  it("[ATTACH-6] only who uploaded a file to the session attaches it, whatever digest others know", async () => {
    const { atlas, birch } = await startSession();
    const elsewhere = await startSession();
    const file = await upload(atlas, "secret");
    for (const thief of [birch, elsewhere.atlas])
      expect((await expectFailure(post(thief, file))).code).toBe("bad_request");
    for (const changed of [
      { size: 7 },
      { type: "text/html" },
      { name: "other.log" },
      { digest: sha256("x") },
    ])
      expect((await expectFailure(post(atlas, { ...file, ...changed }))).code).toBe("bad_request");
    const twice = { ...file, name: "again.log" };
    expect((await expectFailure(post(atlas, file, twice))).code).toBe("bad_request");
    const { cursor } = await post(atlas, file);
    expect((await get(birch, cursor, file.digest)).status).toBe(200);
  });

  it("[ATTACH-7] a private message carries no files", async () => {
    const { atlas } = await startSession();
    const file = await upload(atlas, "x");
    const refused = transport.callRaw("send_message", {
      ...atlas,
      ...{ to: "Birch", message: "hi", private: true, attachments: [file] },
    });
    expect((await expectFailure(refused)).code).toBe("bad_request");
  });

  it("[ATTACH-8] bytes are read only through a message that names them", async () => {
    const { atlas, birch } = await startSession();
    const elsewhere = await startSession();
    const file = await upload(atlas, "secret");
    const plain = await transport.call("post_message", { ...atlas, content: { text: file.digest } });
    const { cursor } = await post(atlas, file);
    expect((await get(birch, cursor, file.digest)).status).toBe(200);
    expect((await get(birch, plain.cursor, file.digest)).status).toBe(404);
    expect((await get(birch, cursor, sha256("x"))).status).toBe(404);
    for (const wrong of ["..%2f..%2fetc", "x", file.digest.toUpperCase()])
      expect((await get(birch, cursor, wrong)).status).toBe(400);
    const own = await transport.call("post_message", { ...elsewhere.atlas, content: { text: "x" } });
    expect((await get(elsewhere.atlas, own.cursor, file.digest)).status).toBe(404);
    expect(
      (await get({ ...elsewhere.atlas, session_id: atlas.session_id }, cursor, file.digest)).status,
    ).toBe(401);
  });

  it("[ATTACH-9] HTML and SVG are never rendered, and nothing that is shown can run", async () => {
    const { atlas, birch } = await startSession();
    for (const [bytes, type, disposition] of [
      ["<script>alert(1)</script>", "text/plain; charset=utf-8", "inline"],
      ["<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>", "text/plain; charset=utf-8", "inline"],
      ["%PDF-1.7\0", "application/octet-stream", "attachment"],
    ] as const) {
      const file = await upload(atlas, bytes, 'a"b.html');
      const { headers } = await get(birch, (await post(atlas, file)).cursor, file.digest);
      expect(headers.get("content-type")).toBe(type);
      expect(headers.get("content-disposition")).toBe(`${disposition}; filename*=UTF-8''a%22b.html`);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("content-security-policy")).toContain("sandbox");
    }
  });

  it("[LIMIT-1] [ATTACH-1] [ATTACH-6] a message carries attachmentsMax files, and a type has mediaTypeCharsMax characters", async () => {
    const { atlas } = await startSession();
    const files: MessageFile[] = [];
    for (let index = 0; index <= limits.attachmentsMax; index += 1)
      files.push(await upload(atlas, `file ${index}`, `${index}.log`));
    expect((await expectFailure(post(atlas, ...files))).code).toBe("bad_request");
    await post(atlas, ...files.slice(0, limits.attachmentsMax));
    const [file] = files;
    for (const more of [0, 1]) {
      const type = `a/${"b".repeat(limits.mediaTypeCharsMax - 2 + more)}`;
      const { message } = await expectFailure(post(atlas, { ...(file as MessageFile), type }));
      // Up to the limit, the type is refused because the upload has another.
      expect(message.includes("You have not uploaded")).toBe(more === 0);
    }
  });

  it("[LIMIT-1] [ATTACH-3] a name has up to fileNameBytesMax bytes in UTF-8", async () => {
    const { atlas } = await startSession();
    const max = limits.fileNameBytesMax;
    for (const name of ["n".repeat(max), "é".repeat(max / 2)])
      expect((await upload(atlas, "x", name)).name).toBe(name);
    for (const name of ["n".repeat(max + 1), "é".repeat(max / 2 + 1)])
      expect(await readCode(await put(atlas, "x", { name }))).toBe("bad_request");
  });

  it("[LIMIT-1] [ATTACH-10] list_files has pages of filesPageDefault, at most filesPageMax", async () => {
    const { atlas } = await startSession();
    const count = limits.filesPageDefault + 1;
    for (let index = 0; index < count; index += limits.attachmentsMax) {
      const files: MessageFile[] = [];
      for (let next = index; next < Math.min(count, index + limits.attachmentsMax); next += 1)
        files.push(await upload(atlas, `of ${next}`, `${next}.log`));
      await post(atlas, ...files);
    }
    const first = await transport.call("list_files", atlas);
    // A page has whole messages.
    expect(first.files.length).toBeGreaterThanOrEqual(limits.filesPageDefault);
    const rest = first.next_cursor === null ? [] : await listFrom(first.next_cursor);
    expect(new Set([...first.files, ...rest].map(({ digest }) => digest)).size).toBe(count);
    const whole = await transport.call("list_files", { ...atlas, limit: limits.filesPageMax });
    expect(whole.files).toHaveLength(count);
    const above = transport.callRaw("list_files", { ...atlas, limit: limits.filesPageMax + 1 });
    expect((await expectFailure(above)).code).toBe("bad_request");

    async function listFrom(before: number) {
      const { files, next_cursor } = await transport.call("list_files", { ...atlas, before });
      expect(next_cursor).toBe(null);
      return files;
    }
  });

  it("[ATTACH-2] one of two senders that continue an upload is refused, and its bytes are not mixed in", async () => {
    const { atlas } = await startSession();
    const bytes = randomBytes(300_000);
    const query = { upload: randomUUID() };
    const range = { "content-range": `bytes 0-${bytes.length - 1}/${bytes.length}` };
    const other = randomBytes(bytes.length);
    const responses = await Promise.all([put(atlas, bytes, query, range), put(atlas, other, query, range)]);
    const bodies = await Promise.all(responses.map((response) => response.json()));
    const digests = bodies.map(({ digest }) => digest).filter((digest) => digest !== undefined);
    expect(digests.length).toBeGreaterThan(0);
    for (const digest of digests) expect([sha256(bytes), sha256(other)]).toContain(digest);
    expect(new Set(digests).size).toBe(1);
  });

  it("[ATTACH-12] uploads that arrive at once cannot exceed files_mb_max together, and what is deleted makes room", async () => {
    const { atlas } = await startSession();
    await changeSettings(transport, { settings: { files_mb_max: 0 } });
    expect(await readCode(await put(atlas, "x"))).toBe("forbidden");
    const sql = connectTestDatabase(broker.databaseUrl);
    const [usage] = await sql`SELECT sum(bytes)::float8 AS bytes FROM file_usage`;
    const room = Math.ceil(Number(usage?.["bytes"] ?? 0) / 1_000_000) + 1;
    await changeSettings(transport, { settings: { files_mb_max: room } });
    const size = 400_000;
    const results = await Promise.all(Array.from({ length: 8 }, () => put(atlas, randomBytes(size))));
    const stored = results.filter(({ status }) => status === 200).length;
    expect(stored).toBeGreaterThan(0);
    expect(stored).toBeLessThan(8);
    const [after] = await sql`
      SELECT (SELECT sum(bytes) FROM file_usage)::float8 AS counted, (SELECT sum(size) FROM files)::float8 AS stored`;
    expect(after?.["counted"]).toBe(after?.["stored"]);
    expect(Number(after?.["counted"])).toBeLessThanOrEqual(room * 1_000_000);
    await changeSettings(transport, { settings: { files_mb_max: 1_000 } });
  });

  it("[LIMIT-1] [ATTACH-12] an upload that no message took ends after uploadHours, and then its bytes go", async () => {
    const { atlas, birch } = await startSession();
    const [abandoned, taken] = [await upload(atlas, randomUUID()), await upload(atlas, randomUUID())];
    const { cursor } = await post(atlas, taken);
    const sql = connectTestDatabase(broker.databaseUrl);
    const age = async (hours: number) => {
      await sql`UPDATE files SET created_at = now() - make_interval(hours => ${hours})`;
      await sql`UPDATE file_uploads SET created_at = now() - make_interval(hours => ${hours})`;
      await sql`UPDATE message_files SET named_at = now() - make_interval(hours => ${hours})`;
    };
    const { orm, close } = await openDatabase({ target: broker.databaseUrl });
    try {
      await age(limits.uploadHours - 1);
      await purgeUploads(orm, limits.uploadHours);
      await settleMessageFiles(orm);
      await deleteUnnamedFiles(orm);
      expect(await countFiles(abandoned, taken)).toBe(2);
      await age(limits.uploadHours + 1);
      expect((await expectFailure(post(atlas, abandoned))).code).toBe("bad_request");
      await purgeUploads(orm, limits.uploadHours);
      await settleMessageFiles(orm);
      expect((await deleteUnnamedFiles(orm)).files).toBeGreaterThan(0);
      expect(await countFiles(abandoned, taken)).toBe(1);
    } finally {
      await close();
    }
    expect((await get(birch, cursor, taken.digest)).status).toBe(200);

    async function countFiles(...files: MessageFile[]): Promise<number> {
      const digests = files.map(({ digest }) => digest);
      return (await sql`SELECT FROM files WHERE encode(digest, 'hex') = ANY(${digests})`).length;
    }
  });

  it("[ATTACH-16] the files of an erased person are gone, unless another's message names them", async () => {
    const { atlas, birch } = await startSession();
    const eve = await makePerson(transport, `Eve ${randomUUID().slice(0, 8)}`);
    const person = { session_id: atlas.session_id, team_id: eve.person_id };
    const [own, both] = [randomUUID(), randomUUID()];
    const [alone, shared] = [await upload(person, own), await upload(person, both)];
    const hers = await post(person, alone, shared);
    const unposted = await upload(person, randomUUID());
    const theirs = await post(birch, await upload(birch, both));
    await transport.call("erase_person", { team_id: eve.person_id, confirm: eve.name });
    expect((await get(birch, hers.cursor, alone.digest)).status).toBe(404);
    expect(await (await get(birch, theirs.cursor, shared.digest)).text()).toBe(both);
    const sql = connectTestDatabase(broker.databaseUrl);
    expect(await sql`SELECT FROM files WHERE encode(digest, 'hex') = ${alone.digest}`).toHaveLength(0);
    expect(await sql`SELECT FROM file_uploads WHERE owner_id = ${toBareId(eve.person_id)}`).toHaveLength(0);
    expect(unposted.digest).not.toBe(alone.digest);
  });
});
