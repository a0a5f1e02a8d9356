import { randomUUID } from "node:crypto";
import { type AuditKey, type SignedHead, toCanonicalJson } from "@merkle/wire/record";
import type postgres from "postgres";
import { createRandom, type Random } from "../faults/random.js";
import { createTestSession } from "../kit/session.js";
import type { TransportClient } from "../kit/transports.js";
import { exportBundle, verifyWhole } from "./bundles.js";
import type { Tampering } from "./tamper.js";
import { isCaught, type MissedChange, toMissed } from "./tamper-campaign.js";

/** A sealed session whose rows an attacker can change in the database. */
export interface SqlVictim {
  readonly url: string;
  readonly sessionId: string;
  readonly size: number;
  readonly versions: number;
  /** The keys and heads that a client had stored before the attack. */
  readonly trusted: { readonly keys: readonly AuditKey[]; readonly heads: readonly SignedHead[] };
}

const tables = [
  "messages",
  "document_versions",
  "documents",
  "feeds",
  "record_tiles",
  "record_rests",
  "heads",
] as const;

/**
 * Creates a session with a few hundred messages, three document versions, a redaction and a conclusion. Saves a copy of
 * the session's rows.
 */
export async function makeSqlVictim(
  transport: TransportClient,
  url: string,
  sql: postgres.Sql,
): Promise<SqlVictim> {
  const { sessionId: session_id, convener: team_id, join, post } = await createTestSession(transport);
  const birch = await join("Birch");
  const { cursor: removed } = await post(team_id, "A key: 1234");
  for (const many of [100, 100, 90]) {
    await Promise.all(
      Array.from({ length: many }, (_, index) =>
        post(index % 2 ? team_id : birch.credential, `Message ${index}`),
      ),
    );
  }
  await transport.call("update_session_doc", {
    session_id,
    team_id,
    expected_version: 0,
    content: "# Goals\n",
  });
  await transport.call("append_to_session_doc", { session_id, team_id, text: "- more" });
  await transport.call("redact_message", { session_id, team_id, sequence: removed, reason: "a key" });
  await transport.call("conclude_session", { session_id, team_id, summary_section: "All done." });
  const bundle = await exportBundle(url, session_id);
  const report = await verifyWhole(bundle);
  if (!report.ok || !report.head) throw new Error(`It should verify: ${JSON.stringify(report.findings)}`);
  for (const table of tables) {
    await sql`CREATE TABLE ${sql(`kept_${table}`)} AS SELECT * FROM ${sql(table)} WHERE session_id = ${session_id}`;
  }
  const keys: AuditKey[] = JSON.parse(await bundle.text("keys.json"));
  const { size, document_version: versions, head } = report;
  return { url, sessionId: session_id, size, versions, trusted: { keys, heads: [head] } };
}

/** Makes random changes to the rows and verifies the broker's export. Returns the changes that were not detected. */
export async function tamperBySql(
  victim: SqlVictim,
  sql: postgres.Sql,
  { count, seed }: { count: number; seed: number },
): Promise<MissedChange[]> {
  const random = createRandom(seed);
  const missed: MissedChange[] = [];
  // Every kind of change is used once before any is repeated.
  let left: Kind[] = [];
  for (let number = 1; number <= count; number++) {
    if (left.length === 0) left = random.shuffle(kinds);
    const kind = left.pop();
    if (!kind) break;
    const tampering = await asSuperuser(sql, (tx) => kind(victim, random, tx));
    const report = await verifyWhole(await exportBundle(victim.url, victim.sessionId), {
      trusted: victim.trusted,
    });
    if (!isCaught(tampering, report)) missed.push(toMissed(number, tampering, report));
    await asSuperuser(sql, (tx) => putBack(victim, tx));
  }
  return missed;
}

/** Runs statements with triggers and foreign keys disabled, as an attacker with full database access could. */
async function asSuperuser<T>(
  sql: postgres.Sql,
  work: (tx: postgres.TransactionSql) => Promise<T>,
): Promise<T> {
  let result: { value: T } | undefined;
  await sql.begin(async (tx) => {
    await tx`SET LOCAL session_replication_role = replica`;
    result = { value: await work(tx) };
  });
  if (!result) throw new Error("The transaction did nothing.");
  return result.value;
}

async function putBack({ sessionId }: SqlVictim, tx: postgres.TransactionSql): Promise<void> {
  for (const table of tables) {
    await tx`DELETE FROM ${tx(table)} WHERE session_id = ${sessionId}`;
    await tx`INSERT INTO ${tx(table)} SELECT * FROM ${tx(`kept_${table}`)}`;
  }
}

type Kind = (victim: SqlVictim, random: Random, tx: postgres.TransactionSql) => Promise<Tampering>;

/** Returns a kind of change that edits a single message. */
function editMessage(
  name: string,
  set: (tx: postgres.TransactionSql) => postgres.PendingQuery<postgres.Row[]>,
): Kind {
  return async (victim, random, tx) => {
    const sequence = pickChat(victim, random);
    await tx`UPDATE messages SET ${set(tx)} WHERE session_id = ${victim.sessionId} AND sequence = ${sequence}`;
    return inFeed(`${name} of message ${sequence}`, sequence);
  };
}

function editVersion(
  name: string,
  set: (tx: postgres.TransactionSql) => postgres.PendingQuery<postgres.Row[]>,
): Kind {
  return async ({ sessionId, versions }, random, tx) => {
    const version = random.between(1, versions);
    await tx`UPDATE document_versions SET ${set(tx)} WHERE session_id = ${sessionId} AND version = ${version}`;
    return inDocument(`${name} of version ${version}`, version);
  };
}

const dropMessage: Kind = async ({ sessionId, size }, random, tx) => {
  const sequence = random.between(1, size - 1);
  await tx`DELETE FROM messages WHERE session_id = ${sessionId} AND sequence = ${sequence}`;
  return inFeed(`drop message ${sequence}`, sequence);
};

const cutFeed: Kind = async ({ sessionId, size }, random, tx) => {
  const kept = random.between(1, size - 1);
  await tx`DELETE FROM messages WHERE session_id = ${sessionId} AND sequence > ${kept}`;
  return inFeed(`delete the messages after ${kept}`, kept + 1);
};

const shortenFeed: Kind = async (victim, random, tx) => {
  const { sessionId, size } = victim;
  const kept = random.between(1, size - 1);
  await tx`DELETE FROM messages WHERE session_id = ${sessionId} AND sequence > ${kept}`;
  await tx`UPDATE feeds SET last_sequence = ${kept}, last_chat_sequence = least(last_chat_sequence, ${kept})
    WHERE session_id = ${sessionId}`;
  const isThorough = random.next() < 0.5;
  // Once the longer heads have been deleted, only a client that had stored one of them can detect the missing messages.
  if (isThorough) await forgetRecord(victim, tx);
  return inFeed(`shorten the feed to ${kept}${isThorough ? " and forget its heads" : ""}`, kept + 1);
};

const swapMessages: Kind = async (victim, random, tx) => {
  const first = random.between(5, victim.size - 2);
  const second = random.between(first + 1, victim.size - 1);
  const move = (from: number, to: number) =>
    tx`UPDATE messages SET sequence = ${to} WHERE session_id = ${victim.sessionId} AND sequence = ${from}`;
  await move(first, 1_000_000);
  await move(second, first);
  await move(1_000_000, second);
  return inFeed(`swap messages ${first} and ${second}`, first);
};

const insertMessage: Kind = async ({ sessionId, size }, random, tx) => {
  const sequence = random.between(5, size);
  await tx`UPDATE messages SET sequence = sequence + 1000000 WHERE session_id = ${sessionId} AND sequence >= ${sequence}`;
  await tx`UPDATE messages SET sequence = sequence - 999999 WHERE session_id = ${sessionId} AND sequence > 1000000`;
  await tx`INSERT INTO messages SELECT (jsonb_populate_record(m, ${tx.json({ sequence, id: randomUUID() })})).*
    FROM messages m WHERE session_id = ${sessionId} AND sequence = 4`;
  await tx`UPDATE feeds SET last_sequence = last_sequence + 1 WHERE session_id = ${sessionId}`;
  return inFeed(`insert a message at ${sequence}`, sequence);
};

const feignRedaction: Kind = async (victim, random, tx) => {
  const sequence = pickChat(victim, random);
  await tx`UPDATE messages SET content = redacted_content(type, kind, content), salt = NULL,
      content_hash = sha256(salt || convert_to(content, 'UTF8'))
    WHERE session_id = ${victim.sessionId} AND sequence = ${sequence}`;
  return inFeed(`feign a redaction of message ${sequence}`, sequence);
};

const dropVersion: Kind = async ({ sessionId, versions }, random, tx) => {
  const version = random.between(1, versions - 1);
  await tx`DELETE FROM document_versions WHERE session_id = ${sessionId} AND version = ${version}`;
  return inDocument(`drop version ${version}`, version);
};

const editDocument: Kind = async ({ sessionId }, _, tx) => {
  await tx`UPDATE documents SET content = content || 'and this' WHERE session_id = ${sessionId}`;
  return { name: "edit the document", expected: { file: "document.md" } };
};

const editTile: Kind = async ({ sessionId }, random, tx) => {
  const sequence = random.between(1, 256);
  await tx`UPDATE record_tiles SET hashes = overlay(hashes PLACING sha256('forged') FROM ${(sequence - 1) * 32 + 1})
    WHERE session_id = ${sessionId} AND log = 'feed' AND level = 0`;
  return inFeed(`edit the stored hash of message ${sequence}`, sequence);
};

const editHead: Kind = async ({ sessionId }, random, tx) => {
  const column = random.pick(["root", "document_root", "signature", "at"] as const);
  const value = {
    root: tx`sha256('x')`,
    document_root: tx`sha256('x')`,
    signature: tx`signature || ''::bytea`,
    at: tx`at + interval '1 s'`,
  };
  const set = column === "signature" ? tx`overlay(signature PLACING '\\x0000'::bytea FROM 5)` : value[column];
  await tx`UPDATE heads SET ${tx(column)} = ${set} WHERE session_id = ${sessionId} AND sealed`;
  return { name: `edit the ${column} of the seal`, expected: { file: "heads.ndjson" } };
};

/** Rewrites a message and deletes the hashes derived from it. The broker then recomputes and signs these hashes. */
const forkFeed: Kind = async (victim, random, tx) => {
  const sequence = pickChat(victim, random);
  const depth = random.pick(["hashes", "hashes and heads", "hashes, heads and seal"] as const);
  await tx`UPDATE messages SET content = '{"text":"never said"}' WHERE session_id = ${victim.sessionId} AND sequence = ${sequence}`;
  await forgetRecord(victim, tx, depth === "hashes" ? ["record_tiles", "record_rests"] : undefined);
  if (depth === "hashes, heads and seal") {
    const [concluded] = await tx<{ content: string }[]>`SELECT content FROM messages
      WHERE session_id = ${victim.sessionId} AND kind = 'session_concluded'`;
    const { head: _, ...event } = JSON.parse(concluded?.content ?? "{}");
    await tx`UPDATE messages SET content = ${toCanonicalJson(event)}
      WHERE session_id = ${victim.sessionId} AND kind = 'session_concluded'`;
  }
  return inFeed(`rewrite message ${sequence} and have ${depth} made anew`, sequence);
};

async function forgetRecord(
  { sessionId }: SqlVictim,
  tx: postgres.TransactionSql,
  forgotten: readonly string[] = ["record_tiles", "record_rests", "heads"],
): Promise<void> {
  for (const table of forgotten) await tx`DELETE FROM ${tx(table)} WHERE session_id = ${sessionId}`;
}

const kinds: readonly Kind[] = [
  editMessage("the text", (tx) => tx`content = '{"text":"never said"}'`),
  editMessage(
    "the text and the salt",
    (tx) => tx`content = '{"text":"no"}', salt = decode(repeat('00', 16), 'hex')`,
  ),
  editMessage("the salt", (tx) => tx`salt = decode(repeat('00', 16), 'hex')`),
  editMessage("the spaces in the text", (tx) => tx`content = ' ' || content`),
  editMessage("the text, as no JSON,", (tx) => tx`content = 'never said'`),
  editMessage("the author", (tx) => tx`author_team = 'Mallory'`),
  editMessage("the team", (tx) => tx`posted_by_team_id = gen_random_uuid()`),
  editMessage("who is human", (tx) => tx`author_human = NOT author_human`),
  editMessage("the time", (tx) => tx`posted_at = posted_at - interval '1 ms'`),
  editMessage("the recipients", (tx) => tx`recipients = '{Mallory}'`),
  editMessage("the priority", (tx) => tx`priority = 'now'`),
  editMessage("what it replies to", (tx) => tx`reply_to = 1`),
  editMessage("the id", (tx) => tx`id = gen_random_uuid()`),
  dropMessage,
  cutFeed,
  shortenFeed,
  swapMessages,
  insertMessage,
  feignRedaction,
  editVersion("the text", (tx) => tx`content = content || 'and this'`),
  editVersion("the author", (tx) => tx`written_by = 'Mallory'`),
  editVersion("the time", (tx) => tx`written_at = written_at - interval '1 ms'`),
  dropVersion,
  editDocument,
  editTile,
  editHead,
  forkFeed,
  forkFeed,
];

/**
 * Picks a chat message that still has its text. The first four and the last two messages are excluded, because they are
 * events or were redacted.
 */
function pickChat({ size }: SqlVictim, random: Random): number {
  return random.between(5, size - 2);
}

function inFeed(name: string, number: number): Tampering {
  return { name, expected: { log: "feed", from: number, to: number } };
}

function inDocument(name: string, number: number): Tampering {
  return { name, expected: { log: "document", from: number, to: number } };
}
