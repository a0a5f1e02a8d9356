import { closeFeed, lockDocument, readDocument, saveDocumentVersion } from "@merkle/db";
import { limits, MerkleError, utf8Bytes } from "@merkle/wire";
import type { OutputOf, ParsedInputOf, TeamContext } from "../context.js";
import { documentTooLarge } from "../document/write-document.js";
import { sealSession } from "../record/seal-session.js";
import { whileHashing } from "../record/while-hashing.js";

/** A document with its new Conclusion, worked out from one version of it. */
interface Draft {
  readonly fromVersion: number;
  readonly content: string;
  readonly conclusion: string;
}

type Input = ParsedInputOf<"conclude_session">;
type Output = OutputOf<"conclude_session">;

/**
 * Ends a session: writes the Conclusion, closes the feed, seals what came before and says so, in one transaction (SES-9). Again, it revises the
 * Conclusion and says so again; `closed_at` stays the first one.
 */
export async function concludeSession(ctx: TeamContext, input: Input): Promise<Output> {
  // The draft is made before the transaction, so that nobody waits for a large document to be read through. Whoever
  // writes in between makes it worthless; after a few rounds it is made with the document held.
  await whileHashing(ctx.services.records.catchUp(ctx.session.sessionId));
  for (let round = 1; round <= 3; round += 1) {
    const draft = await draftConclusion(ctx, input);
    try {
      return await conclude(ctx, async () => draft);
    } catch (error) {
      if (!(error instanceof OutdatedDraft)) throw error;
    }
  }
  return conclude(ctx, () => draftConclusion(ctx, input));
}

class OutdatedDraft extends Error {
  override readonly name = "OutdatedDraft";
}

async function draftConclusion({ services, session }: TeamContext, input: Input): Promise<Draft> {
  const document = await readDocument(services.database.orm, session.sessionId);
  if (!document) throw noSession(session.slug);
  const written = await services.workers.run("replace_conclusion", {
    content: document.content,
    remembered: document.conclusion,
    summary: input.summary_section,
  });
  const bytes = utf8Bytes(written.content);
  if (bytes > limits.documentBytesMax) throw documentTooLarge(bytes);
  return { fromVersion: document.version, ...written };
}

/** @throws OutdatedDraft, with nothing done, when the document is at another version than the draft was made from */
async function conclude(ctx: TeamContext, makeDraft: () => Promise<Draft>): Promise<Output> {
  const { sessions, channels } = ctx.services;
  const { sessionId, slug } = ctx.session;
  const { teamId: writtenByTeamId, name: writtenBy, peer } = ctx.team;

  return ctx.write(async ({ tx, announce, afterCommit }) => {
    const document = await lockDocument(tx, sessionId);
    if (!document) throw noSession(slug);
    const { fromVersion, content, conclusion } = await makeDraft();
    if (fromVersion !== document.version) throw new OutdatedDraft();

    const at = new Date();
    const version = document.version + 1;
    const afterSequence = document.lastSequence;
    await saveDocumentVersion(tx, {
      sessionId,
      version,
      content,
      conclusion,
      writtenByTeamId,
      writtenBy,
      at,
      afterSequence,
    });
    const closedAt = await closeFeed(tx, sessionId, at);
    const head = await sealSession(tx, ctx.services, { sessionId, at });
    await announce(
      sessionId,
      { event: "session_concluded", by: writtenBy, document_version: version, at: at.toISOString(), head },
      { causedBy: peer.peerId, afterClosing: true },
    );
    afterCommit(() => {
      sessions.markClosed(sessionId);
      channels.announceChange(sessionId, "document", version);
    });
    return {
      session_id: sessionId,
      status: "closed",
      closed_at: closedAt.toISOString(),
      doc_version: version,
      seal: { size: head.size, root: head.root, at: head.at },
    };
  });
}

function noSession(slug: string): MerkleError {
  return new MerkleError("not_found", `There is no session "${slug}".`);
}
