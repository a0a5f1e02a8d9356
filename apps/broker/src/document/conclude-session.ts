import {
  closeFeed,
  findJob,
  findSession,
  type LockedDocument,
  lockDocument,
  readDocument,
  saveDocumentVersion,
  type Transaction,
} from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { countUtf8Bytes } from "@merkle/wire/text";
import type { Write } from "../core/write.js";
import { recordResult } from "../identity/record-job-result.js";
import type { AgentContext, SessionContext, TeamContext } from "../sessions/context.js";
import { toSessionSettings } from "../sessions/session-settings.js";
import { replaceConclusionTask } from "../text/tasks.js";
import type { SealedHead, SessionConclusion } from "./hooks.js";
import type { DocumentServices } from "./services.js";
import { documentTooLarge } from "./write-document.js";

/** Concludes a session on behalf of one of its teams, or as a job's agent if the session allows it. */
export async function concludeSession(
  ctx: TeamContext<DocumentServices> | (SessionContext<DocumentServices> & AgentContext<DocumentServices>),
  { summary_section }: ParsedInputOf<"conclude_session">,
): Promise<OutputOf<"conclude_session">> {
  if (ctx.team === null) return concludeAsAgent(ctx, summary_section);
  return concludeWithSummary(ctx, { summary: summary_section });
}

/**
 * Concludes a session as the agent of its conclude job, if the session's settings allow it (AGENT-6). The
 * document version is written for the convener's team, which allowed agents to conclude. The version's author
 * field says that an agent wrote it and who started the job.
 *
 * @throws forbidden when the session requires a proposal first, or when the job has ended
 */
async function concludeAsAgent(
  ctx: SessionContext<DocumentServices> & AgentContext<DocumentServices>,
  summary: string,
): Promise<OutputOf<"conclude_session">> {
  const { services, session, principal } = ctx;
  const { orm, meshId } = services.database;
  const { sessionId, slug, createdByTeamId } = session;
  const job = await findJob(orm, { meshId, number: principal.job });
  const name = `agent, asked by ${job?.startedBy ?? "nobody known"}`;
  return concludeWithSummary(
    {
      services,
      session,
      team: { teamId: createdByTeamId, name, peer: null },
      write: (work) => ctx.write(work),
    },
    {
      summary,
      check: async (tx) => {
        const row = await findSession(tx, meshId, sessionId);
        if (toSessionSettings(row?.settings).agent_concludes !== "concludes") throw proposalRequired(slug);
      },
      record: (tx, version) => recordResult(tx, principal, { kind: "conclusion", id: version }),
    },
  );
}

function proposalRequired(slug: string): MerkleError {
  return new MerkleError(
    "forbidden",
    `In the session "${slug}" an agent can only propose the conclusion, and a person decides about it.`,
    { agent_concludes: "proposes", next: "insert_proposal" },
  );
}

/** A document with its new Conclusion section, and the document version that it is based on. */
interface DocumentDraft {
  readonly fromVersion: number;
  readonly content: string;
  readonly conclusion: string;
}

type ConcludeSessionOutput = OutputOf<"conclude_session">;

/** The team on whose behalf a session is concluded. */
interface Concluder {
  readonly teamId: string;
  readonly name: string;
  /**
   * The peer that causes the event. The peer's own waits do not return the event. Null for a job's agent,
   * which has no peer.
   */
  readonly peer: { readonly peerId: string } | null;
}

type ConcluderContext = Pick<SessionContext<DocumentServices>, "services" | "session" | "write"> & {
  readonly team: Concluder;
};

/** The input of a conclusion. */
interface Conclusion {
  readonly summary: string;
  /** Author of the document version (default: the team's name). */
  readonly writtenBy?: string | undefined;
  /** Runs first in the transaction, with the document locked. If it throws, everything is rolled back. */
  readonly check?: (tx: Transaction, document: LockedDocument) => Promise<void>;
  /** Runs after the document version is saved, before the conclusion is announced. */
  readonly record?: (tx: Transaction, version: number) => Promise<void>;
}

/**
 * Concludes a session on behalf of a team, in one transaction: writes the Conclusion, closes the feed, seals
 * the record, and announces the conclusion (SES-9). If the session is already concluded, revises the Conclusion
 * and announces the revision, but leaves `closed_at` unchanged. A pending proposal is rejected (PROP-15).
 */
export async function concludeWithSummary(
  ctx: ConcluderContext,
  input: Conclusion,
): Promise<ConcludeSessionOutput> {
  // The draft is made before the transaction, so that other writers do not wait while a large document is
  // processed. A concurrent write makes the draft outdated. After three attempts, the draft is made with the
  // document locked.
  for (const hook of ctx.services.hooks.onConclude) await hook.prepare?.(ctx.services, ctx.session.sessionId);
  for (let round = 1; round <= 3; round += 1) {
    const draft = await draftConclusion(ctx, input);
    try {
      return await conclude(ctx, input, async () => draft);
    } catch (error) {
      if (!(error instanceof OutdatedDraft)) throw error;
    }
  }
  return conclude(ctx, input, () => draftConclusion(ctx, input));
}

class OutdatedDraft extends Error {
  override readonly name = "OutdatedDraft";
}

async function draftConclusion(
  { services, session }: ConcluderContext,
  { summary }: Conclusion,
): Promise<DocumentDraft> {
  const document = await readDocument(services.database.orm, session.sessionId);
  if (!document) throw noSession(session.slug);
  const written = await services.workers.run(replaceConclusionTask, {
    content: document.content,
    remembered: document.conclusion,
    summary,
  });
  const bytes = countUtf8Bytes(written.content);
  if (bytes > limits.documentBytesMax) throw documentTooLarge(bytes);
  return { fromVersion: document.version, ...written };
}

/**
 * @throws OutdatedDraft, before anything is changed, when the draft is based on another version of the
 *   document
 */
async function conclude(
  ctx: ConcluderContext,
  { writtenBy, check, record }: Conclusion,
  makeDraft: () => Promise<DocumentDraft>,
): Promise<ConcludeSessionOutput> {
  const { services } = ctx;
  const { sessions, channels, hooks } = services;
  const { sessionId, slug } = ctx.session;
  const { teamId: writtenByTeamId, name, peer } = ctx.team;

  return ctx.write(async ({ tx, announce, afterCommit }) => {
    for (const hook of hooks.onConclude) await hook.hold?.(services, tx, sessionId);
    const document = await lockDocument(tx, sessionId);
    if (!document) throw noSession(slug);
    await check?.(tx, document);
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
      writtenBy: writtenBy ?? name,
      at,
      afterSequence,
    });
    await record?.(tx, version);
    const closedAt = await closeFeed(tx, sessionId, at);
    const head = await runConcludeHooks(services, { tx, afterCommit }, { sessionId, by: name, at });
    await announce(
      sessionId,
      { event: "session_concluded", by: name, document_version: version, at: at.toISOString(), head },
      { causedBy: peer?.peerId ?? null, afterClosing: true },
    );
    afterCommit(() => {
      sessions.markClosed(sessionId);
      channels.announceChange(sessionId, "document", version);
      for (const hook of hooks.onDocumentWritten)
        hook.onWritten(services, { meshId: services.database.meshId, sessionId });
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

/** Runs the conclusion hooks of all features. One of them seals the session. */
async function runConcludeHooks(
  services: DocumentServices,
  write: Pick<Write, "tx" | "afterCommit">,
  concluded: SessionConclusion,
): Promise<SealedHead> {
  let head: SealedHead | undefined;
  for (const hook of services.hooks.onConclude)
    head = (await hook.conclude?.(services, write, concluded)) ?? head;
  if (!head) throw new TypeError("No feature has sealed the session.");
  return head;
}

function noSession(slug: string): MerkleError {
  return new MerkleError("not_found", `There is no session "${slug}".`);
}
