import { findDocumentVersion, insertTopic, insertTopicMessage, readDocument } from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import { contextOf, locateQuote } from "@merkle/wire/anchors";
import { requireSession, type SessionIdentity } from "../../identity/session-directory.js";
import { sessionClosed } from "../../sessions/access/authorize.js";
import type { MeshContext } from "../../sessions/context.js";
import { openFileTopic } from "./open-file-topic.js";
import { refuseTooManyOpen } from "./refuse-too-many-open.js";
import type { TopicServices } from "./services.js";
import { topicAuthorOf } from "./topic-author.js";
import { toTopic } from "./topic-output.js";
import { topicTitle } from "./topic-title.js";

/**
 * Opens a topic at a place of a session's document, or about all of it (TOPIC-1).
 *
 * @throws conflict, with the current version, when what it is about does not stand in the version that its opener has read
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
  const by = await topicAuthorOf(ctx, session.sessionId);
  if (session.closed) throw sessionClosed(session);
  const anchor = await findAnchor(services, session, { ...input, version });
  const source = { sessionId: session.sessionId, root: null, path: null };

  return ctx.write(async ({ tx, announce, afterCommit }) => {
    const opened = await insertTopic(tx, {
      meshId,
      source,
      title: topicTitle(input.text),
      openedBy: by.author,
      madeAt: { version, hash: null },
      anchor,
    });
    await refuseTooManyOpen(services, tx, source);
    const topic = await insertTopicMessage(tx, opened, { ...by, text: input.text });
    const { number: topic_id, title } = topic;
    const quote = anchor && shortened(anchor.quote);
    const at = topic.openedAt.toISOString();
    await announce(
      session.sessionId,
      { event: "topic_opened", topic_id, by: by.author, title, quote, at },
      { causedBy: ctx.team?.peer.peerId ?? null },
    );
    // What was read may be an older version.
    afterCommit(() => services.anchorer.look({ meshId, sessionId: session.sessionId }));
    return toTopic(services, topic);
  });
}

/** Where the quote stands in the version that its opener has read, with what is around it. */
async function findAnchor(
  { database }: Pick<TopicServices, "database">,
  session: SessionIdentity,
  { version, ...marked }: ParsedInputOf<"open_topic"> & { readonly version: number },
) {
  const { quote } = marked;
  const text = await readVersion(database, session, version);
  if (quote === undefined) return null;
  const place = locateQuote(text, { ...marked, quote });
  if ("start" in place) return { quote, ...contextOf(text, place), ...place };
  if (place.matches === 0) {
    const current = await readDocument(database.orm, session.sessionId);
    throw new MerkleError(
      "conflict",
      `The quote does not stand in version ${version} of the document; the current version is ${current?.version}. Quote it as it stands there (read_session_doc).`,
      { version, current_version: current?.version },
    );
  }
  throw new MerkleError(
    "bad_request",
    `The quote stands in version ${version} ${place.matches} times. Quote more of it, so that it is found once, or say where it begins (start).`,
    { matches: place.matches },
  );
}

/** @throws not_found for a version that there is not, or whose text was removed */
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
    `The document of "${slug}" has no version ${version}${row ? " any more: its text was removed" : ""}.`,
    { version },
  );
}

const toldCharsMax = 200;

/** An event tells what a topic is about, not all of it. */
function shortened(quote: string): string {
  const signs = [...quote];
  return signs.length <= toldCharsMax ? quote : `${signs.slice(0, toldCharsMax - 1).join("")}…`;
}
