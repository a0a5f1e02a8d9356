import {
  countOpenTopics,
  findDocumentVersion,
  insertTopic,
  insertTopicMessage,
  readDocument,
  type SourceColumns,
  type Transaction,
} from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import { extractContext, locateQuote, type Span } from "@merkle/wire/document";
import { limits } from "@merkle/wire/limits";
import { requireSession, type SessionIdentity } from "../../identity/session-directory.js";
import { sessionClosed } from "../../sessions/access/authorize.js";
import type { MeshContext } from "../../sessions/context.js";
import { keepFileText, readFileText, requireSourcePath, toFile } from "../sources/feature.js";
import type { TopicServices } from "./services.js";
import { getTopicAuthor, toTopic, toTopicTitle } from "./topic.js";

/**
 * Opens a topic about a passage of a session's document, or about the whole document (TOPIC-1).
 *
 * @throws conflict, with the current version, if the quote does not occur in the version that the caller has
 *   read
 */
export async function openTopic(
  ctx: MeshContext<TopicServices>,
  input: ParsedInputOf<"open_topic">,
): Promise<OutputOf<"open_topic">> {
  const { services } = ctx;
  const { meshId } = services.database;
  const { session_id = "", version = 0, source_path, source_sha = "" } = input;
  if (source_path !== undefined) return openFileTopic(ctx, { source_path, source_sha }, input);
  const session = await requireSession(services, session_id);
  const by = await getTopicAuthor(ctx, session.sessionId);
  if (session.isClosed) throw sessionClosed(session);
  const anchor = await findAnchor(services, session, { ...input, version });
  const source = { sessionId: session.sessionId, root: null, path: null };

  return ctx.write(async ({ tx, announce, afterCommit }) => {
    const opened = await insertTopic(tx, {
      meshId,
      source,
      title: toTopicTitle(input.text),
      openedBy: by.author,
      madeAt: { version, hash: null },
      anchor,
    });
    await refuseTooManyOpen(services, tx, source);
    const topic = await insertTopicMessage(tx, opened, { ...by, text: input.text });
    const { number: topic_id, title } = topic;
    const quote = anchor && shortenQuote(anchor.quote);
    const at = topic.openedAt.toISOString();
    await announce(
      session.sessionId,
      { event: "topic_opened", topic_id, by: by.author, title, quote, at },
      { causedBy: ctx.team?.peer.peerId ?? null },
    );
    // The quote's position is in the version that the caller has read. The anchorer then finds the position
    // in the newest version.
    afterCommit(() => services.anchorer.schedule({ meshId, sessionId: session.sessionId }));
    return toTopic(services, topic);
  });
}

/** Returns the position and context of the quote in the version that the caller has read. */
async function findAnchor(
  { database }: Pick<TopicServices, "database">,
  session: SessionIdentity,
  { version, ...marked }: ParsedInputOf<"open_topic"> & { readonly version: number },
) {
  const { quote } = marked;
  const text = await readVersion(database, session, version);
  if (quote === undefined) return null;
  const span = locateQuote(text, { ...marked, quote });
  if ("start" in span) return toAnchor(text, span);
  if (span.matches === 0) {
    const current = await readDocument(database.orm, session.sessionId);
    throw new MerkleError(
      "conflict",
      `The quote does not occur in version ${version} of the document (the current version is ${current?.version}). Quote the exact text.`,
      { version, current_version: current?.version, next: "read_session_doc" },
    );
  }
  throw new MerkleError(
    "bad_request",
    `The quote occurs in version ${version} ${span.matches} times. Quote more text to make it unique, or give its start position.`,
    { matches: span.matches },
  );
}

/**
 * Returns the anchor, with the quote exactly as it is in the text, because the caller may have seen other
 * line endings.
 */
function toAnchor(text: string, span: Span) {
  return { quote: text.slice(span.start, span.end), ...extractContext(text, span), ...span };
}

/** @throws not_found if the document version does not exist or its text was redacted */
async function readVersion(
  { orm }: TopicServices["database"],
  { sessionId, slug }: SessionIdentity,
  version: number,
): Promise<string> {
  if (version === 0) return "";
  const row = await findDocumentVersion(orm, sessionId, version);
  if (row && row.content !== null) return row.content;
  throw new MerkleError(
    "not_found",
    row
      ? `The text of version ${version} of the document of "${slug}" was removed.`
      : `The document of "${slug}" has no version ${version}.`,
    { version },
  );
}

const announcedQuoteCharsMax = 200;

/** Shortens a quote for an event, to just enough text to recognise the topic. */
function shortenQuote(quote: string): string {
  const chars = [...quote];
  return chars.length <= announcedQuoteCharsMax
    ? quote
    : `${chars.slice(0, announcedQuoteCharsMax - 1).join("")}…`;
}

/**
 * Refuses to open another topic if its source already has the maximum number of open topics. The caller must
 * hold the lock on the mesh's topic counter, so that concurrent calls wait for each other.
 *
 * @throws conflict if the source has too many open topics
 */
export async function refuseTooManyOpen(
  { database, sessions }: Pick<TopicServices, "database" | "sessions">,
  tx: Transaction,
  source: SourceColumns,
): Promise<void> {
  const { openTopicsPerSourceMax: open_max } = limits;
  if ((await countOpenTopics(tx, database.meshId, source)) <= open_max) return;
  const session = source.path === null ? await sessions.find(source.sessionId) : null;
  const what = session ? `The document of "${session.slug}"` : `${source.root}/${source.path}`;
  throw new MerkleError(
    "conflict",
    `${what} has ${open_max} open topics, which is the limit. Close some of them first.`,
    { open_max, next: "reply_to_topic" },
  );
}

type OpenTopicInput = ParsedInputOf<"open_topic">;

/**
 * Opens a topic about a passage of a file, or about the whole file (SOURCE-11). Stores the file's current text.
 *
 * @throws conflict, with the current hash, if the file's text has changed or does not contain the quote
 */
async function openFileTopic(
  ctx: MeshContext<TopicServices>,
  { source_path, source_sha }: { readonly source_path: string; readonly source_sha: string },
  input: OpenTopicInput,
): Promise<OutputOf<"open_topic">> {
  const { services } = ctx;
  const { meshId } = services.database;
  const file = requireSourcePath(source_path);
  const source = toFile(file);
  const by = await getTopicAuthor(ctx, null);
  const text = await readFileText(services, file, source_sha);
  if (text === null) {
    const { hash } = await services.sources.open(file);
    throw staleSource(source_path, "has changed since you read it", hash);
  }
  const anchor = findFileAnchor(text, input, { source_path, source_sha });

  return ctx.write(async ({ tx, afterCommit }) => {
    await keepFileText(tx, services, file, { hash: source_sha, text });
    const opened = await insertTopic(tx, {
      meshId,
      source,
      title: toTopicTitle(input.text),
      openedBy: by.author,
      madeAt: { version: null, hash: source_sha },
      anchor,
    });
    await refuseTooManyOpen(services, tx, source);
    const topic = await insertTopicMessage(tx, opened, { ...by, text: input.text });
    afterCommit(() => services.mesh.announce("topics", null));
    return toTopic(services, topic);
  });
}

function findFileAnchor(
  text: string,
  { quote, ...marked }: OpenTopicInput,
  { source_path, source_sha }: { readonly source_path: string; readonly source_sha: string },
) {
  if (quote === undefined) return null;
  const span = locateQuote(text, { ...marked, quote });
  if ("start" in span) return toAnchor(text, span);
  if (span.matches === 0)
    throw staleSource(source_path, "does not contain that quote in the version that you read", source_sha);
  throw new MerkleError(
    "bad_request",
    `The quote occurs in ${source_path} ${span.matches} times. Quote more text to make it unique, or give its start position.`,
    { matches: span.matches },
  );
}

function staleSource(source_path: string, how: string, current_sha: string): MerkleError {
  return new MerkleError("conflict", `${source_path} ${how}. Read it again.`, {
    source_path,
    current_sha,
    next: "read_source",
  });
}
