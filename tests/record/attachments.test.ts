import { execFile } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { MessageFile } from "@merkle/wire";
import { toAttachmentName } from "@merkle/wire/record";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCleanup } from "../kit/cleanup.js";
import { createTestSession } from "../kit/session.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { connectTestDatabase } from "../kit/test-database.js";
import { brokerTransports, type TransportClient } from "../kit/transports.js";
import {
  download,
  exportBundle,
  importInto,
  openBundle,
  verifyWhole,
  withFiles,
  zipTexts,
} from "./bundles.js";

const script = fileURLToPath(new URL("../../docs/verify_record.py", import.meta.url));

const cleanup = createCleanup();
let origin: TestBroker;
let transport: TransportClient;
let other: TestBroker;
let folder = "";
beforeAll(async () => {
  [origin, other] = await Promise.all([startTestBroker({}, cleanup), startTestBroker({}, cleanup)]);
  transport = await brokerTransports.rest(origin.url);
  folder = await mkdtemp(join(tmpdir(), "merkle-attachments-"));
});
afterAll(() => rm(folder, { recursive: true }));

interface Member {
  readonly session_id: string;
  readonly team_id: string;
}

async function upload({ session_id, team_id }: Member, text: string, name = "a.log"): Promise<MessageFile> {
  const response = await fetch(
    `${origin.url}/api/sessions/${session_id}/files?${new URLSearchParams({ name })}`,
    { method: "PUT", headers: { "x-team-id": team_id }, body: text },
  );
  return response.json();
}

const post = (by: Member, ...attachments: MessageFile[]) =>
  transport.call("post_message", { ...by, content: { text: "Here.", attachments } });

function get(url: string, session: string, message: number, digest: string): Promise<Response> {
  return fetch(`${url}/api/sessions/${session}/messages/${message}/files/${digest}`);
}

async function createSession(): Promise<Member> {
  const { sessionId: session_id, convener: team_id } = await createTestSession(transport);
  return { session_id, team_id };
}

/** Runs the verifier in another language, and returns its output. */
async function verifyInPython(bytes: Uint8Array): Promise<string> {
  const path = join(folder, "bundle.zip");
  await writeFile(path, bytes);
  return new Promise((resolve) => execFile("python3", [script, path], (_error, stdout) => resolve(stdout)));
}

const unique = () => randomBytes(12).toString("hex");

describe("files in a session's record", { tags: "python" }, () => {
  it("[ATTACH-14] [ATTACH-15] a bundle carries the bytes, verifiers check them, and an import stores them", async () => {
    const by = await createSession();
    const text = unique();
    const [one, two] = [await upload(by, text), await upload(by, `${text} two`, "b.log")];
    const { cursor } = await post(by, one, two);
    await post(by, one);
    const bundle = await exportBundle(origin.url, by.session_id);
    expect(await bundle.text(toAttachmentName(one.digest))).toBe(text);
    const report = await verifyWhole(bundle);
    expect(report).toMatchObject({ ok: true, attachments: { named: 3, included: 3 }, unproven: [] });
    expect(await verifyInPython(bundle.bytes)).toContain("3 of 3 are in the bundle");

    const { status, body } = await importInto(other.url, bundle.bytes);
    expect(status).toBe(200);
    const { session_id } = Object(body);
    expect(await (await get(other.url, session_id, cursor, one.digest)).text()).toBe(text);
    const again = await exportBundle(other.url, session_id);
    expect(await verifyWhole(again)).toMatchObject({ ok: true, attachments: { named: 3, included: 3 } });
  });

  it("[ATTACH-14] a bundle without bytes says so, and its import names no bytes that the mesh has", async () => {
    const by = await createSession();
    const file = await upload(by, unique());
    const { cursor } = await post(by, file);
    const whole = await exportBundle(origin.url, by.session_id);
    const bare = await openBundle(await withFiles(whole, { [toAttachmentName(file.digest)]: null }));
    expect(await verifyWhole(bare)).toMatchObject({
      ok: true,
      attachments: { named: 1, included: 0 },
      unproven: [expect.stringContaining("does not contain the bytes")],
    });
    expect(await verifyInPython(bare.bytes)).toContain("0 of 1 are in the bundle");
    // The other broker has the same bytes from another session.
    const there = await brokerTransports.rest(other.url);
    const secret = await createTestSession(there);
    const response = await fetch(`${other.url}/api/sessions/${secret.sessionId}/files?name=a.log`, {
      method: "PUT",
      headers: { "x-team-id": secret.convener },
      body: await whole.text(toAttachmentName(file.digest)),
    });
    expect(await response.json()).toEqual(file);
    const { body } = await importInto(other.url, bare.bytes);
    expect((await get(other.url, Object(body).session_id, cursor, file.digest)).status).toBe(404);
    // Importing the bundle with the bytes adds nothing to a record that is the same.
    expect((await importInto(other.url, whole.bytes)).status).toBe(200);
  });

  it("[ATTACH-15] wrong bytes, other sizes and files that no message names do not verify, and are not imported", async () => {
    const by = await createSession();
    const file = await upload(by, unique());
    await post(by, file);
    const bundle = await exportBundle(origin.url, by.session_id);
    const name = toAttachmentName(file.digest);
    const other_text = "someone else's bytes";
    const stray = toAttachmentName(createHash("sha256").update(other_text).digest("hex"));
    const texts = new Map<string, string>();
    for (const each of bundle.names) texts.set(each, await bundle.text(each));
    for (const [bytes, problem] of [
      [await withFiles(bundle, { [name]: other_text }), "does not have the bytes"],
      [await zipTexts(new Map([...texts, [stray, other_text]])), "is not named by any message"],
      [await zipTexts(new Map([...texts, ["attachment-x", "x"]])), "is not a file of a bundle"],
    ] as const) {
      const report = await verifyWhole(await openBundle(bytes));
      expect(report.ok).toBe(false);
      expect(report.findings.map(({ message }) => message).join("\n")).toContain(problem);
      expect(await verifyInPython(bytes)).toContain("WRONG");
      expect((await importInto(other.url, bytes)).status).toBe(400);
    }
  });

  it("[ATTACH-16] redaction removes bytes that no other message names, and the record still verifies", async () => {
    const by = await createSession();
    const [alone, shared] = [await upload(by, unique()), await upload(by, unique())];
    const first = await post(by, alone, shared);
    const second = await post(by, shared);
    const early = await exportBundle(origin.url, by.session_id);
    const { body } = await importInto(other.url, early.bytes);
    await transport.call("redact_message", { ...by, sequence: first.cursor });
    const sql = connectTestDatabase(origin.databaseUrl);
    const listStored = async () =>
      (await sql`SELECT encode(digest, 'hex') AS digest FROM files`).map(({ digest }) => digest);
    expect(await listStored()).toContain(shared.digest);
    expect(await listStored()).not.toContain(alone.digest);
    expect((await get(origin.url, by.session_id, first.cursor, shared.digest)).status).toBe(404);
    expect((await get(origin.url, by.session_id, second.cursor, shared.digest)).status).toBe(200);
    const bundle = await exportBundle(origin.url, by.session_id);
    expect(bundle.names).not.toContain(toAttachmentName(alone.digest));
    expect(await verifyWhole(bundle)).toMatchObject({
      ok: true,
      redacted: 1,
      attachments: { named: 1, included: 1 },
    });
    // A later import removes them from the copy too.
    expect((await importInto(other.url, bundle.bytes)).status).toBe(200);
    const { session_id } = Object(body);
    expect((await get(other.url, session_id, second.cursor, shared.digest)).status).toBe(200);
    const there = connectTestDatabase(other.databaseUrl);
    const left = await there`SELECT FROM files WHERE digest = decode(${alone.digest}, 'hex')`;
    expect(left).toHaveLength(0);
    // A removed file cannot be attached again without its bytes.
    await expect(post(by, alone)).rejects.toMatchObject({ code: "bad_request" });
  });

  it("[ATTACH-14] a page and the bundle of a session without files are as before", async () => {
    const by = await createSession();
    await transport.call("post_message", { ...by, content: { text: "plain" } });
    const bundle = await openBundle(await download(origin.url, by.session_id));
    expect(bundle.names.filter((name) => name.startsWith("attachment-"))).toEqual([]);
    expect(await verifyWhole(bundle)).toMatchObject({ ok: true, attachments: { named: 0, included: 0 } });
  });
});
