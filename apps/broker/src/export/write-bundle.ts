import { createHash } from "node:crypto";
import { ReadableStream, type WritableStream } from "node:stream/web";
import {
  type Database,
  findSession,
  readDocument,
  readRecordedVersions,
  type SessionRow,
  wasRedactedAfter,
} from "@merkle/db";
import { canonicalJson, MerkleError } from "@merkle/wire";
import { bundleFiles, type Manifest, manifestBytes, writeJsonLine } from "@merkle/wire/record";
import { ZipWriter } from "@zip.js/zip.js/lib/zip-core-writer.js";
import type { Services } from "../context.js";
import { readRoster } from "../roster/participants.js";
import { readPeers } from "../roster/read-peers.js";
import type { SessionIdentity } from "../sessions/directory.js";
import { documentLines } from "./document-lines.js";
import { feedLines } from "./feed-lines.js";
import type { Recorded } from "./recorded.js";
import { stateText } from "./state-text.js";

type Written = Manifest["files"][number];

/**
 * Writes a session's record as a bundle (EXPORT-2): file after file, as much of each at a time as the reader takes. The
 * manifest comes last, since it holds the hashes of the others.
 */
export async function writeBundle(
  services: Services,
  { session, recorded }: { readonly session: SessionIdentity; readonly recorded: Recorded },
  to: WritableStream<Uint8Array>,
): Promise<void> {
  const { database } = services;
  const { sessionId } = session;
  const zip = new ZipWriter(to, { useWebWorkers: false, zip64: true });
  const files: Written[] = [];
  const add = async (name: string, texts: AsyncIterable<string>) => {
    files.push(await addFile(zip, name, texts));
  };
  await add(bundleFiles.feed, feedLines(database, sessionId, recorded));
  await add(bundleFiles.versions, documentLines(database, sessionId, recorded));
  await add(bundleFiles.document, documentText(database, sessionId, recorded));
  await add(bundleFiles.roster, rosterText(services, session));
  await add(bundleFiles.state, stateText(database, sessionId));
  await add(bundleFiles.heads, headLines(recorded));
  await add(bundleFiles.keys, once(writeJsonLine(recorded.keys)));
  if (await wasRedactedAfter(database.orm, sessionId, recorded.size)) throw new RedactedMeanwhile();
  const row = await findSession(database.orm, database.meshId, sessionId);
  if (!row) throw new MerkleError("not_found", `There is no session "${session.slug}".`);
  await add(bundleFiles.manifest, once(writeJsonLine(signManifest(row, recorded, files))));
  await zip.close();
}

/** A text that is gone, and no message here that says who removed it, would look like damage. */
class RedactedMeanwhile extends Error {
  override readonly name = "RedactedMeanwhile";
  override readonly message = "A text was removed while it was exported, so the bundle was not finished.";
}

async function addFile(
  zip: ZipWriter<unknown>,
  name: string,
  texts: AsyncIterable<string>,
): Promise<Written> {
  const sha256 = createHash("sha256");
  let bytes = 0;
  async function* encode(): AsyncGenerator<Uint8Array> {
    for await (const text of texts) {
      const chunk = Buffer.from(text);
      sha256.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  }
  await zip.add(name, ReadableStream.from(encode()) as globalThis.ReadableStream<Uint8Array>);
  return { name, bytes, sha256: sha256.digest("hex") };
}

function signManifest(row: SessionRow, recorded: Recorded, files: readonly Written[]): Manifest {
  const { recordId, head, size, documentVersion } = recorded;
  const unsigned = {
    format: "merkle-bundle" as const,
    version: 1 as const,
    session: {
      session_id: recordId,
      slug: row.slug,
      title: row.title,
      description: row.description,
      status: row.closedAt ? "closed" : "active",
      created_at: row.createdAt.toISOString(),
      closed_at: row.closedAt?.toISOString() ?? null,
    },
    epoch: head.epoch,
    exported_at: new Date().toISOString(),
    size,
    document_version: documentVersion,
    head,
    files,
    key_id: recorded.keyId,
  };
  return { ...unsigned, signature: recorded.sign(manifestBytes(unsigned)) };
}

/** The version that the record ends with, which may have been followed by others while it was written. */
async function* documentText(
  { orm }: Pick<Database, "orm">,
  sessionId: string,
  { documentVersion }: Recorded,
): AsyncGenerator<string> {
  const document = await readDocument(orm, sessionId);
  if (document?.version === documentVersion) {
    yield document.content;
    return;
  }
  const [row] = await readRecordedVersions(orm, sessionId, {
    after: documentVersion - 1,
    upTo: documentVersion,
    limit: 1,
  });
  yield row?.content ?? "";
}

/** Who took part. Where on their machines they worked is nobody's business elsewhere. */
async function* rosterText(services: Services, session: SessionIdentity): AsyncGenerator<string> {
  const [participants, peers] = await Promise.all([
    readRoster(services, session),
    readPeers(services, session, { includeLeft: true }),
  ]);
  const told = peers.map(({ cwd: _cwd, machine: _machine, ...peer }) => peer);
  yield `${canonicalJson({ participants, peers: told })}\n`;
}

async function* headLines({ heads }: Recorded): AsyncGenerator<string> {
  for (const head of heads) yield writeJsonLine(head);
}

async function* once(text: string): AsyncGenerator<string> {
  yield text;
}
