import { createHash, createPublicKey, randomBytes, verify } from "node:crypto";
import type { OutputOf } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import {
  type AuditKey,
  createFeedEntry,
  encodeHead,
  fromHex,
  growTree,
  hashContent,
  hashEntry,
  type SignedHead,
  toCanonicalJson,
  toHex,
  verifyConsistency,
  verifyInclusion,
} from "@merkle/wire/record";
import type postgres from "postgres";
import { beforeAll, describe, expect, it } from "vitest";
import { testAuditKey } from "../kit/audit-key.js";
import { createCleanup } from "../kit/cleanup.js";
import { createTestSession, expectFailure } from "../kit/session.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { connectTestDatabase } from "../kit/test-database.js";
import { type TransportClient, transports } from "../kit/transports.js";

let broker: TestBroker;
let transport: TransportClient;
let sql: postgres.Sql;
const opened = new Map<string, TransportClient>();
const cleanup = createCleanup();
beforeAll(async () => {
  broker = await startTestBroker({}, cleanup);
  sql = connectTestDatabase(broker.databaseUrl, cleanup);
  await Promise.all(
    Object.entries(transports).map(async ([name, open]) => {
      const each = await open(broker.url);
      cleanup(each.close);
      opened.set(name, each);
    }),
  );
  transport = openedTransport("rest");
});

function openedTransport(name: string): TransportClient {
  const found = opened.get(name);
  if (!found) throw new Error(`There is no transport ${name}.`);
  return found;
}

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest();

function bytesOf(hash: string): Uint8Array {
  const bytes = fromHex(hash, 32);
  if (!bytes) throw new Error(`${hash} is no hash.`);
  return bytes;
}

/** Verifies the signature with OpenSSL, as anyone could. */
function isSigned(head: SignedHead, keys: readonly AuditKey[]): boolean {
  const x = keys.find(({ key_id }) => key_id === head.key_id)?.public_key ?? "";
  const key = createPublicKey({ format: "jwk", key: { kty: "OKP", crv: "Ed25519", x } });
  return verify(null, encodeHead(head), key, Buffer.from(head.signature, "base64url"));
}

type Proof = OutputOf<"session_proof">;

function holds({ size, root, inclusion }: Proof): boolean {
  if (!inclusion) return false;
  const leaf = hashEntry(inclusion.entry as never, sha256);
  const claim = {
    index: inclusion.number - 1,
    size,
    leaf,
    path: inclusion.path.map(bytesOf),
    root: bytesOf(root),
  };
  return toHex(leaf) === inclusion.leaf && verifyInclusion(claim, sha256);
}

function isContinued({ size, root, consistency }: Proof): boolean {
  if (!consistency) return false;
  const { from_size: from, from_root, path } = consistency;
  const claim = { from, fromRoot: bytesOf(from_root), size, root: bytesOf(root), path: path.map(bytesOf) };
  return verifyConsistency(claim, sha256);
}

/** Checks that a content hash matches the content and salt that were returned with it. */
function hashesTo({ entry, content, salt }: NonNullable<Proof["inclusion"]>): boolean {
  return hashContent(Buffer.from(salt ?? "", "hex"), content ?? "", sha256) === entry["content_hash"];
}

describe.each(Object.keys(transports))("the record, by %s", (name) => {
  it("[SEAL-1] [SEAL-4] a head is signed over what everybody can hash, and every message and version is proved to be in it", async () => {
    const at = openedTransport(name);
    const { convener: team_id, sessionId: session_id } = await createTestSession(at);
    for (const text of ["one", "two", "three"]) {
      await at.call("post_message", { session_id, team_id, content: { text } });
    }
    await at.call("update_session_doc", { session_id, team_id, expected_version: 0, content: "# Plan\n" });
    const { head, keys, seals, concluded } = await at.call("session_seal", { session_id, team_id });
    expect(seals).toEqual([]);
    expect(concluded).toBe(false);
    expect(isSigned(head, keys)).toBe(true);
    expect(isSigned({ ...head, size: head.size + 1 }, keys)).toBe(false);

    const { messages } = await transport.call("get_history", { session_id });
    const tree = growTree(sha256);
    for (const message of messages) {
      const proof = await at.call("session_proof", { session_id, team_id, sequence: message.sequence });
      expect(holds(proof)).toBe(true);
      expect(proof.inclusion && hashesTo(proof.inclusion)).toBe(true);
      expect(proof.inclusion?.content).toBe(toCanonicalJson(message.content));
      const entry = createFeedEntry(message, {
        recordId: session_id,
        contentHash: String(proof.inclusion?.entry["content_hash"]),
      });
      expect(proof.inclusion?.entry).toEqual(entry);
      expect(proof.head).toEqual(head);
      tree.push(hashEntry(entry, sha256));
    }
    expect(head.size).toBe(messages.length);
    expect(head.root).toBe(toHex(tree.root()));
    const version = await at.call("session_proof", { session_id, team_id, document_version: 1 });
    expect(version).toMatchObject({ log: "document", size: 1, root: head.document.root, head });
    expect(holds(version)).toBe(true);
    expect(version.inclusion).toMatchObject({
      content: "# Plan\n",
      entry: { content_hash: head.document.hash },
    });
    expect(version.inclusion && hashesTo(version.inclusion)).toBe(true);
  });
});

/** Inserts this many messages directly, because posting is not tested here. */
async function fillFeed(sessionId: string, count: number): Promise<void> {
  await sql`UPDATE feeds SET last_posted_at = coalesce(last_posted_at, now()) WHERE session_id = ${sessionId}`;
  await sql`
    INSERT INTO messages (session_id, sequence, id, type, posted_by_team_id, author_team, content, salt, posted_at)
    SELECT f.session_id, f.last_sequence + n, gen_random_uuid(), 'chat', t.team_id, t.name,
      '{"text":"' || n || ' äöü"}', uuid_send(gen_random_uuid()), f.last_posted_at
    FROM feeds f JOIN teams t ON t.session_id = f.session_id, generate_series(1, ${count}::int) n
    WHERE f.session_id = ${sessionId}`;
  await sql`UPDATE feeds SET last_sequence = last_sequence + ${count}::int WHERE session_id = ${sessionId}`;
}

/** Computes the leaves of the stored messages according to the format's specification, without the broker's code. */
async function readLeaves(session_id: string, size: number): Promise<Uint8Array[]> {
  const rows = await sql`
    SELECT m.*, encode(sha256(salt || convert_to(content, 'UTF8')), 'hex') AS hash FROM messages m
    WHERE session_id = ${session_id} AND sequence <= ${size} ORDER BY sequence`;
  return rows.map((row) => {
    const { sequence, id, type, posted_by_team_id, priority, hash, kind } = row;
    const entry = {
      session_id,
      sequence: Number(sequence),
      id,
      type,
      kind,
      posted_by_team_id,
      from: row["author_team"] === null ? null : { team: row["author_team"], human: row["author_human"] },
      to: row["recipients"],
      priority,
      reply_to: null,
      posted_at: row["posted_at"].toISOString(),
      content_hash: hash,
    };
    return sha256(Buffer.from(`\u0000${toCanonicalJson(entry)}`));
  });
}

async function readRoot(session_id: string, size: number): Promise<string> {
  const tree = growTree(sha256);
  for (const leaf of await readLeaves(session_id, size)) tree.push(leaf);
  return toHex(tree.root());
}

describe("proofs", () => {
  it("[SEAL-4] [SEAL-5] [SEAL-6] of a feed of several tiles, any entry is proved to be in any later size, and any size to begin a later one", async () => {
    const { sessionId: session_id, convener: team_id } = await createTestSession(transport);
    const early = (await transport.call("session_seal", { session_id })).head;
    await fillFeed(session_id, 300);
    const first = (await transport.call("session_seal", { session_id })).head;
    await fillFeed(session_id, 700);
    const { head } = await transport.call("session_seal", { session_id });
    expect([early.size, first.size, head.size]).toEqual([0, 300, 1_000]);
    for (const { size, root } of [early, first, head]) expect(root).toBe(await readRoot(session_id, size));
    const tiles =
      await sql`SELECT number::int FROM record_tiles WHERE session_id = ${session_id} ORDER BY number`;
    expect(tiles.map(({ number }) => number)).toEqual([0, 1, 2]);

    for (const [sequence, size] of [
      [1, 1],
      [1, 1_000],
      [256, 256],
      [257, 300],
      [300, 511],
      [768, 769],
      [1_000, 1_000],
    ]) {
      const proof = await transport.call("session_proof", { session_id, sequence, size });
      expect([sequence, size, holds(proof)]).toEqual([sequence, size, true]);
      expect(proof.root).toBe(await readRoot(session_id, size ?? 0));
      expect(holds({ ...proof, root: early.root })).toBe(false);
    }
    for (const [from_size, size] of [
      [0, 5],
      [1, 1_000],
      [256, 1_000],
      [300, 1_000],
      [300, 777],
      [1_000, 1_000],
    ]) {
      const proof = await transport.call("session_proof", { session_id, from_size, size });
      expect([from_size, size, isContinued(proof)]).toEqual([from_size, size, true]);
      const other = { ...proof, consistency: { ...proof.consistency, from_root: early.root } } as Proof;
      if (from_size !== 0) expect(isContinued(other)).toBe(false);
    }
    // A signed head can be retrieved again by its size, byte for byte.
    expect((await transport.call("session_proof", { session_id, size: 300 })).head).toEqual(first);
    expect((await transport.call("session_proof", { session_id, size: 301 })).head).toBeNull();
    await transport.call("post_message", { session_id, team_id, content: { text: "later" } });
    const later = await transport.call("session_proof", { session_id, from_size: 1_000 });
    expect(later).toMatchObject({ size: 1_001, consistency: { from_root: head.root } });
    expect(isContinued(later)).toBe(true);
  });

  it("[SEAL-6] of a long feed nothing is read again that was hashed before: tiles alone give heads and proofs", async () => {
    const { sessionId: session_id } = await createTestSession(transport);
    const tree = growTree(sha256);
    // Tiles for messages that do not exist. Reading the messages themselves would fail.
    const tiles = Array.from({ length: 256 }, (_, number) => {
      const hashes = randomBytes(256 * 32);
      const tile = growTree(sha256);
      for (let place = 0; place < 256; place += 1) {
        const leaf = hashes.subarray(place * 32, place * 32 + 32);
        tile.push(leaf);
        tree.push(leaf);
      }
      return { session_id, log: "feed", level: 0, number, hashes, root: tile.root() };
    });
    for (let at = 0; at < 256; at += 64) await sql`INSERT INTO record_tiles ${sql(tiles.slice(at, at + 64))}`;
    await sql`UPDATE feeds SET last_sequence = ${2 ** 16} WHERE session_id = ${session_id}`;
    const before = toHex(tree.root());
    await fillFeed(session_id, 300);
    for (const leaf of await readLeaves(session_id, 2 ** 16 + 300)) tree.push(leaf);

    const { head } = await transport.call("session_seal", { session_id });
    expect(head).toMatchObject({ size: 65_836, root: toHex(tree.root()) });
    const levels = await sql`
      SELECT level, count(*)::int FROM record_tiles WHERE session_id = ${session_id} GROUP BY level ORDER BY level`;
    expect(levels.map(({ count }) => count)).toEqual([257, 1]);
    for (const sequence of [65_537, 65_792, 65_836]) {
      expect(holds(await transport.call("session_proof", { session_id, sequence }))).toBe(true);
    }
    for (const from_size of [2 ** 16, 40_000, 1]) {
      const proof = await transport.call("session_proof", { session_id, from_size });
      expect(isContinued(proof)).toBe(true);
      if (from_size === 2 ** 16) expect(proof.consistency?.from_root).toBe(before);
    }
  });

  it("[SEAL-4] who changed what was hashed before changes no head: the proof of that message fails, and shows it", async () => {
    const { sessionId: session_id } = await createTestSession(transport);
    await fillFeed(session_id, 300);
    const { head } = await transport.call("session_seal", { session_id });
    await sql`ALTER TABLE messages DISABLE TRIGGER messages_change_by_redaction`;
    await sql`UPDATE messages SET content = '{"text":"forged"}' WHERE session_id = ${session_id} AND sequence = 200`;
    await sql`ALTER TABLE messages ENABLE TRIGGER messages_change_by_redaction`;
    expect((await transport.call("session_seal", { session_id })).head).toEqual(head);
    const forged = await transport.call("session_proof", { session_id, sequence: 200 });
    expect(forged.inclusion?.content).toBe('{"text":"forged"}');
    expect(holds(forged)).toBe(false);
    expect(holds(await transport.call("session_proof", { session_id, sequence: 201 }))).toBe(true);
  });

  it("[SEAL-4] what is asked of a record beyond what there is, or of two things at once, is refused", async () => {
    const { sessionId: session_id } = await createTestSession(transport);
    for (const input of [
      { sequence: 2 },
      { size: 2 },
      { from_size: 2 },
      { sequence: 1, document_version: 1 },
      { document_version: 1 },
      { sequence: 1, log: "document" as const },
      { sequence: 1, size: 0 },
    ]) {
      const failure = await expectFailure(transport.call("session_proof", { session_id, ...input }));
      expect([input, failure.code]).toEqual([input, "bad_request"]);
    }
    const nothing = await transport.call("session_proof", { session_id, log: "document" });
    expect(nothing).toMatchObject({ size: 0, inclusion: null, consistency: null });
    expect(nothing.root).toBe(sha256(new Uint8Array()).toString("hex"));
  });

  it("[SEAL-4] [SEALED-3] a private message is proved by its length, without the salt; a redacted one by the hash that stayed", async () => {
    const { sessionId: session_id, convener: team_id } = await createTestSession(transport);
    const { message_id, cursor } = await transport.call("post_message", {
      session_id,
      team_id,
      content: { text: "1234" },
    });
    expect(message_id).toBeDefined();
    const before = await transport.call("session_proof", { session_id, sequence: cursor });
    await sql`UPDATE messages SET content = redacted_content(type, kind, content), salt = NULL,
      content_hash = sha256(salt || convert_to(content, 'UTF8')) WHERE session_id = ${session_id} AND sequence = ${cursor}`;
    const after = await transport.call("session_proof", { session_id, sequence: cursor });
    expect(after.inclusion).toEqual({ ...before.inclusion, content: '{"redacted":true}', salt: null });
    expect(holds(after)).toBe(true);

    const sealed = `mks1.${"a".repeat(200)}.${"b".repeat(32)}.${"c".repeat(44)}`;
    await sql`INSERT INTO messages (session_id, sequence, id, type, posted_by_team_id, author_team, content, salt, posted_at)
      SELECT session_id, last_sequence + 1, gen_random_uuid(), 'chat', ${team_id.slice(0, 36)}, 'Atlas',
        ${JSON.stringify({ private: true, sealed })}, uuid_send(gen_random_uuid()), now() FROM feeds WHERE session_id = ${session_id}`;
    await sql`UPDATE feeds SET last_sequence = last_sequence + 1 WHERE session_id = ${session_id}`;
    const hidden = await transport.call("session_proof", { session_id, team_id, sequence: cursor + 1 });
    expect(hidden.inclusion).toMatchObject({
      content: '{"bytes":33,"private":true}',
      salt: null,
      entry: { private: { bytes: 33 } },
    });
    expect(holds(hidden)).toBe(true);
  });
});

describe("a conclusion", () => {
  it("[SEAL-2] carries the head of what came before its event; the next one contains it, and overviews tell of it", async () => {
    const { sessionId: session_id, convener: team_id } = await createTestSession(transport);
    await transport.call("post_message", { session_id, team_id, content: { text: "one" } });
    expect((await transport.call("get_session", { session_id })).seal).toBeNull();
    const first = await transport.call("conclude_session", { session_id, team_id, summary_section: "Done." });
    const second = await transport.call("conclude_session", {
      session_id,
      team_id,
      summary_section: "Done, again.",
    });
    const { messages } = await transport.call("get_history", { session_id });
    const events = messages.filter(({ event }) => event === "session_concluded");
    const heads = events.map((event) => event["head"] as SignedHead);
    const { seals, head, keys, concluded } = await transport.call("session_seal", { session_id });
    expect(concluded).toBe(true);
    expect(seals).toEqual(heads.toReversed());
    expect(heads.map(({ size, document }) => [size, document.version])).toEqual([
      [1, 1],
      [2, 2],
    ]);
    expect(events.map(({ sequence }) => sequence)).toEqual([2, 3]);
    expect([...heads, head].every((each) => isSigned(each, keys))).toBe(true);
    for (const [place, concluded_] of [first, second].entries()) {
      expect(concluded_.seal).toMatchObject({ size: heads[place]?.size, root: heads[place]?.root });
    }
    const proof = await transport.call("session_proof", { session_id, from_size: 1, size: 2 });
    expect(proof).toMatchObject({ head: heads[1], consistency: { from_root: heads[0]?.root } });
    expect(isContinued(proof)).toBe(true);
    expect((await transport.call("get_session", { session_id })).seal).toEqual(second.seal);
  });

  it("[SEAL-2] while others post covers exactly what came before its event, and every post that was acked", async () => {
    const { sessionId: session_id, convener: team_id } = await createTestSession(transport);
    let concludedAt = 0;
    const posters = Array.from({ length: 8 }, async () => {
      for (let posts = 0; ; posts += 1) {
        const outcome = await transport
          .call("post_message", { session_id, team_id, content: { text: `${posts}` } })
          .catch((error: Error & { code?: string }) => error.code);
        if (outcome === "session_closed") return posts;
        if (typeof outcome !== "object") throw new Error(`A post was answered ${outcome}.`);
        concludedAt = Math.max(concludedAt, outcome.cursor);
      }
    });
    await expect.poll(() => concludedAt).toBeGreaterThan(40);
    const { seal } = await transport.call("conclude_session", {
      session_id,
      team_id,
      summary_section: "Done.",
    });
    const posted = (await Promise.all(posters)).reduce((sum, posts) => sum + posts, 0);
    const { messages } = await transport.call("get_history", { session_id, limit: 1 });
    expect(messages.at(-1)).toMatchObject({ event: "session_concluded", sequence: seal.size + 1 });
    expect(seal).toMatchObject({ size: posted, root: await readRoot(session_id, seal.size) });
    const proof = await transport.call("session_proof", { session_id, sequence: seal.size, size: seal.size });
    expect(holds(proof)).toBe(true);
    expect(proof.head?.root).toBe(seal.root);
  });

  it("[SEAL-3] several at once, and several who ask, are given one and the same signed head for one record", async () => {
    const { sessionId: session_id, convener: team_id } = await createTestSession(transport);
    await fillFeed(session_id, 600);
    const asked = await Promise.all(
      Array.from({ length: 12 }, () => transport.call("session_seal", { session_id })),
    );
    expect(new Set(asked.map(({ head }) => head.signature)).size).toBe(1);
    const concluded = await Promise.all(
      Array.from({ length: 4 }, (_, n) =>
        transport.call("conclude_session", { session_id, team_id, summary_section: `Done ${n}.` }),
      ),
    );
    const sizes = concluded.map(({ seal }) => seal.size).sort((a, b) => a - b);
    expect(sizes).toEqual([600, 601, 602, 603]);
    const [again, { seals }] = [
      await transport.call("session_proof", { session_id, size: 600 }),
      await transport.call("session_seal", { session_id }),
    ];
    expect(again.head).toEqual(seals.at(-1));
    expect(seals.map(({ size }) => size)).toEqual([603, 602, 601, 600]);
  });

  it("[SEAL-3] the newest seals are listed", async () => {
    const { sessionId: session_id } = await createTestSession(transport);
    const { head } = await transport.call("session_seal", { session_id });
    await sql`
      INSERT INTO heads SELECT session_id, n, 0, epoch, record_id, root, NULL, document_root, at, key_id, signature, true
      FROM heads, generate_series(2, ${limits.sealsListedMax + 3}::int) n WHERE session_id = ${session_id} AND size = ${head.size}`;
    const { seals } = await transport.call("session_seal", { session_id });
    expect(seals).toHaveLength(limits.sealsListedMax);
    expect(seals[0]?.size).toBe(limits.sealsListedMax + 3);
  });

  it("[SEAL-7] of a record with a hole nothing is signed, and what is missing is named", async () => {
    const { sessionId: session_id, convener: team_id } = await createTestSession(transport);
    await fillFeed(session_id, 300);
    await sql`ALTER TABLE messages DISABLE TRIGGER USER`;
    await sql`DELETE FROM messages WHERE session_id = ${session_id} AND sequence = 77`;
    await sql`ALTER TABLE messages ENABLE TRIGGER USER`;
    // The calls are made one after another, because the broker would refuse the second while the first is running.
    for (const sign of [
      () => transport.call("session_seal", { session_id }),
      () => transport.call("conclude_session", { session_id, team_id, summary_section: "Done." }),
    ]) {
      expect(await expectFailure(sign())).toMatchObject({
        code: "conflict",
        details: { missing: 77, log: "feed" },
      });
    }
    expect((await transport.call("get_session", { session_id })).status).toBe("active");
  });
});

it("[AUDITKEY-3] the keys are given to anybody, and may be kept for a while", async () => {
  const response = await fetch(new URL("/.well-known/merkle-audit-key", broker.url));
  expect(response.headers.get("cache-control")).toContain("public");
  expect(await response.json()).toEqual({ keys: [testAuditKey] });
});
