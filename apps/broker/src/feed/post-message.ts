import {
  countInbox,
  findMessageById,
  findViolatedConstraint,
  listPeers,
  type MessageRow,
  readLastReads,
  type StoredMessage,
  saveLastRead,
} from "@merkle/db";
import {
  MerkleError,
  type OutputOf,
  type OwnSignature,
  type ParsedInputOf,
  type RecipientState,
} from "@merkle/wire";
import { toCanonicalJson } from "@merkle/wire/record";
import { type Audience, type ChatPost, createMessageId, everyone, toChatRow } from "../core/message.js";
import { retryWhileLost } from "../core/retry-while-lost.js";
import type { PersonActor } from "../identity/credential.js";
import { sessionClosed } from "../sessions/access/authorize.js";
import type { TeamContext } from "../sessions/context.js";
import type { KnownPeer } from "../sessions/roster/known-peers.js";
import type { AppendResult } from "./appender.js";
import { checkAnswer, findReplied, type PostRequest, refuseSettled } from "./check-reply.js";
import { readRecipientStates, toInitialStates } from "./message-status.js";
import { requirePostingAllowed } from "./posting-allowed.js";
import { fold, formatAddress, isEveryone, readAudience } from "./recipients.js";
import type { FeedServices } from "./services.js";

type PostMessageOutput = OutputOf<"post_message">;

/**
 * Posts a chat message. Once the promise resolves, the message is on disk and survives a crash of any process
 * (FEED-2). A retry with the same key returns the same message (FEED-5).
 *
 * @throws session_closed, session_held or budget_spent; not_found for an unknown recipient or message;
 * conflict if the key was used for another message, or the ask already has an answer
 */
function postChat(ctx: TeamContext<FeedServices>, request: PostRequest): Promise<PostMessageOutput> {
  const id = createMessageId(
    ctx.session.sessionId,
    ctx.team.peer.peerId,
    request.operation,
    ctx.idempotencyKey,
  );
  const { database, quotas } = ctx.services;
  if (quotas.findSpent(database.meshId, storedQuotas) !== null) return postWithinQuota(ctx, id, request);
  return !ctx.mustJoin && isPlainPost(request)
    ? post(ctx, toRow(ctx, id, request, request.content, everyone, null), [], request)
    : prepareAndPost(ctx, id, request);
}

const storedQuotas = ["messages", "bytes"] as const;

/**
 * Posts a message unless a quota is used up. A retry of a stored message succeeds even if the quota is used up,
 * because it needs no space (FEED-5).
 */
async function postWithinQuota(
  ctx: TeamContext<FeedServices>,
  id: string,
  request: PostRequest,
): Promise<PostMessageOutput> {
  const { database, quotas } = ctx.services;
  const earlier = ctx.idempotencyKey === undefined ? null : await retryWhileLost(() => findStored(ctx, id));
  if (earlier) return repeat(ctx, earlier, request);
  await retryWhileLost(() => quotas.requireRoom(database.meshId, storedQuotas));
  return prepareAndPost(ctx, id, request);
}

async function prepareAndPost(
  ctx: TeamContext<FeedServices>,
  id: string,
  request: PostRequest,
): Promise<PostMessageOutput> {
  // Preparation only reads from the database, so it can be retried if the database is briefly unavailable.
  const prepared = await retryWhileLost(() => prepare(ctx, id, request));
  if ("earlier" in prepared) return repeat(ctx, prepared.earlier, request);
  return post(ctx, prepared.row, prepared.known, request);
}

/**
 * Returns whether a post is for everyone, replies to nothing, is neither sealed nor signed, and carries no files. Such a post can be
 * appended without reading from the database first.
 */
function isPlainPost({ to, reply_to, content }: PostRequest): boolean {
  return (
    (to === undefined || to.every(isEveryone)) &&
    reply_to === undefined &&
    content.answer === undefined &&
    !("sealed" in content) &&
    !("own" in content) &&
    !("attachments" in content)
  );
}

/**
 * Either a row to append, with the peers among which its recipients were found, or the message that an earlier
 * attempt stored.
 */
type PreparedPost =
  | { readonly row: MessageRow; readonly known: readonly KnownPeer[] }
  | { readonly earlier: StoredMessage };

async function prepare(
  ctx: TeamContext<FeedServices>,
  id: string,
  request: PostRequest,
): Promise<PreparedPost> {
  try {
    const replied = await findReplied(ctx, request);
    const { audience, known } = await readAudience(ctx, request.to, findAsker(ctx, request, replied));
    if ("sealed" in request.content) requireOnePeer(audience);
    else if (request.content.own) requireOwnRecipient(ctx, audience, request.content.own);
    const { content, answers } = await checkAnswer(ctx, id, request, replied);
    await noteFiles(ctx, id, request);
    return { row: toRow(ctx, id, request, content, audience, answers), known };
  } catch (error) {
    // A recipient or a replied-to message may have been removed since the first attempt. A retry of a stored
    // message must still succeed.
    const earlier = ctx.idempotencyKey === undefined ? null : await findStored(ctx, id);
    if (earlier) return { earlier };
    // If the caller may not post at all, the error for that takes precedence (ERR-2).
    if (error instanceof MerkleError) await requirePostingAllowed(ctx);
    throw error;
  }
}

/** Notes the files of a post before it is stored, so that no message is without its bytes. */
async function noteFiles(
  { services, session, team, person }: TeamContext<FeedServices>,
  messageId: string,
  { content }: PostRequest,
): Promise<void> {
  if (!("attachments" in content) || content.attachments === undefined) return;
  const { sessionId } = session;
  const ownerId = person?.personId ?? team.teamId;
  for (const note of services.hooks.onAttach)
    await note(services, { sessionId, messageId, ownerId, files: content.attachments });
}

/**
 * Returns the peer that a reply without recipients is for: the author of the message that it replies to
 * (SEND-12). Returns null if the reply is for everyone: a decision, which settles something for all, or a reply to
 * an event or to the caller's own message.
 */
function findAsker(
  { team }: TeamContext<FeedServices>,
  { content }: PostRequest,
  replied: StoredMessage | null,
): string | null {
  const isDecision = "kind" in content && content.kind === "decision";
  if (isDecision || replied?.type !== "chat" || replied.posted_by_peer_id === team.peer.peerId) return null;
  return replied.posted_by_peer_id;
}

function toRow(
  { session, team }: TeamContext<FeedServices>,
  id: string,
  { priority, reply_to }: PostRequest,
  content: ChatPost["content"],
  audience: Audience,
  answers: number | null,
): MessageRow {
  const { teamId, name, kind, peer } = team;
  const author = { teamId, peerId: peer.peerId, team: name, peer: peer.name, human: kind === "human" };
  // A guest's message is marked permanently, even if the person is verified later.
  const marked = kind === "guest" ? { ...content, guest: true } : content;
  const chatPost = { content: marked, audience, priority, replyTo: reply_to ?? null, answers };
  return toChatRow(session.sessionId, id, author, chatPost);
}

async function post(
  ctx: TeamContext<FeedServices>,
  row: MessageRow,
  known: readonly KnownPeer[],
  request: PostRequest,
): Promise<PostMessageOutput> {
  const appended = await (ctx.mustJoin ? joinAndPost(ctx, row) : appendInOrder(ctx, row));
  switch (appended.outcome) {
    case "posted": {
      const { id, reaches } = row;
      const { sequence, postedAt } = appended;
      const message = { sequence, reaches, postedAt, authorPeerId: ctx.team.peer.peerId };
      const posted = toOutput(id, message, reaches && toInitialStates(known, message));
      const { database, quotas } = ctx.services;
      quotas.add(database.meshId, "messages", 1);
      quotas.add(database.meshId, "bytes", row.content.length);
      if (ctx.person) await markOwnPostRead(ctx, ctx.person, sequence);
      return posted;
    }
    case "duplicate":
      return repeat(ctx, await retryWhileLost(() => getStored(ctx, row.id)), request);
    case "settled":
      await retryWhileLost(() => refuseSettled(ctx, row.id, row.answers ?? 0));
      return post(ctx, row, known, request);
    case "held":
    case "over_budget":
      // The session may have changed since it refused the append, for example because a human posted. The
      // post is retried if it is allowed now.
      await retryWhileLost(() => requirePostingAllowed(ctx));
      return post(ctx, row, known, request);
    case "closed":
      ctx.services.sessions.markClosed(row.session_id);
      throw sessionClosed(ctx.session);
    case "missing":
      throw new MerkleError("not_found", `There is no session "${ctx.session.slug}".`);
  }
}

function appendInOrder(ctx: TeamContext<FeedServices>, row: MessageRow): Promise<AppendResult> {
  const appending = ctx.services.appender.append(row);
  ctx.markPlaced();
  return appending;
}

/** Posts in the transaction that creates the caller's team, so that a refused message creates no team. */
async function joinAndPost(ctx: TeamContext<FeedServices>, row: MessageRow): Promise<AppendResult> {
  try {
    const { sequence, at } = await ctx.write(async (write) => {
      const { sequence, postedAt } = await write.post(row);
      return { sequence, at: postedAt.toISOString() };
    });
    ctx.services.metrics.posts.inc({ outcome: "posted" });
    return { outcome: "posted", sequence, postedAt: new Date(at) };
  } catch (error) {
    if (findViolatedConstraint(error) === "messages_settle_once") return { outcome: "settled" };
    throw error;
  }
}

async function repeat(
  ctx: TeamContext<FeedServices>,
  stored: StoredMessage,
  request: PostRequest,
): Promise<PostMessageOutput> {
  if (ctx.idempotencyKey !== undefined && !(await isRepetition(ctx, stored, request))) {
    throw otherMessage(stored.sequence);
  }
  const { services, session, team } = ctx;
  const { id, sequence, reaches, posted_at: postedAt } = stored;
  const message = { sequence, reaches, postedAt, authorPeerId: team.peer.peerId };
  return toOutput(
    id,
    message,
    reaches && (await retryWhileLost(() => readRecipientStates(services, session, message))),
  );
}

/** @param recipients - the recipients to list in the reply, or null for everyone */
function toOutput(
  id: string,
  { sequence, postedAt }: { readonly sequence: number; readonly postedAt: Date },
  recipients: RecipientState[] | null,
): PostMessageOutput {
  const posted = { message_id: id, cursor: sequence, at: postedAt.toISOString() };
  return recipients === null ? posted : { ...posted, recipients };
}

function findStored(
  { services, session }: TeamContext<FeedServices>,
  id: string,
): Promise<StoredMessage | null> {
  return findMessageById(services.database.orm, session.sessionId, id);
}

async function getStored(ctx: TeamContext<FeedServices>, id: string): Promise<StoredMessage> {
  const stored = await findStored(ctx, id);
  if (!stored) throw new TypeError("A message that was found while appending has since disappeared.");
  return stored;
}

/** Requires exactly one recipient, because a sealed message can be opened with only one key. */
function requireOnePeer({ recipients, reaches }: Audience): void {
  if (reaches?.length === 1) return;
  throw new MerkleError(
    "bad_request",
    `A private message needs exactly one recipient, but ${recipients.join(", ")} means ${reaches?.length ?? "all"}. Nothing was posted. Name the peer as "team/peer".`,
  );
}

/**
 * Requires that a signed message is from a person, and for exactly the agent that the signature names (OWN-4). Whether the
 * signature counts is for the agent to check: it does not trust the broker.
 */
function requireOwnRecipient(
  { person }: TeamContext<FeedServices>,
  { recipients, reaches }: Audience,
  { peer_id }: OwnSignature,
): void {
  if (!person)
    throw new MerkleError(
      "forbidden",
      "Only people sign what they write. Nothing was posted. Leave out own.",
    );
  if (reaches?.length === 1 && reaches[0] === peer_id) return;
  throw new MerkleError(
    "bad_request",
    `The signature is for the peer ${peer_id}, but the message is for ${recipients.join(", ")}. Nothing was posted. Sign it for its only recipient.`,
  );
}

function otherMessage(sequence: number): MerkleError {
  return new MerkleError(
    "conflict",
    `This idempotency key was used for message ${sequence}, which differs in its text, recipients, priority or reply. Nothing was posted. Use a new key for a new message.`,
    { sequence },
  );
}

/** Posts a chat message to the recipients in `to` (default: everyone) (SEND-1). */
export function postMessage(
  ctx: TeamContext<FeedServices>,
  input: ParsedInputOf<"post_message">,
): Promise<OutputOf<"post_message">> {
  const { to, priority, reply_to, own } = input;
  const content = own ? { ...input.content, own } : input.content;
  return postChat(ctx, { operation: "post_message", content, to, priority, reply_to });
}

/** Posts a chat message to the recipients in `to` (SEND-1). */
export function sendMessage(
  ctx: TeamContext<FeedServices>,
  input: ParsedInputOf<"send_message">,
): Promise<OutputOf<"send_message">> {
  const { message, to, priority, reply_to } = input;
  const content = input.private ? ({ private: true, sealed: message } as const) : { text: message };
  return postChat(ctx, { operation: "send_message", content, to, priority, reply_to });
}

/**
 * Returns whether a request is the same as the message stored under its key (IDEM-8), regardless of how the
 * recipients are written.
 */
async function isRepetition(
  ctx: TeamContext<FeedServices>,
  stored: StoredMessage,
  request: PostRequest,
): Promise<boolean> {
  return (
    stored.priority === request.priority &&
    stored.reply_to === (request.reply_to ?? null) &&
    // The content of a redacted message cannot be compared. It is considered the same, so the message is not
    // posted again.
    (stored.redaction !== null || isSameContent(stored.content, request.content)) &&
    (await isSameAudience(ctx, stored, request))
  );
}

/**
 * Returns whether a request has the same content as a stored message. An answer is stored in the option's
 * spelling, and a retry may spell it differently.
 */
function isSameContent(stored: string, { answer, ...content }: PostRequest["content"]): boolean {
  const { answer: storedAnswer, guest }: { answer?: string; guest?: true } = JSON.parse(stored);
  const isSameAnswer =
    answer !== undefined && storedAnswer !== undefined && fold(answer) === fold(storedAnswer);
  const repeated =
    answer === undefined ? content : { ...content, answer: isSameAnswer ? storedAnswer : answer };
  return toCanonicalJson(guest ? { ...repeated, guest } : repeated) === stored;
}

/**
 * Returns whether a request has the same recipients as a stored message. Compares names instead of peers,
 * because some recipients may have left since the message was stored. A peer's name without its team matches
 * the peer's full address.
 */
async function isSameAudience(
  ctx: TeamContext<FeedServices>,
  { recipients: stored }: StoredMessage,
  request: PostRequest,
): Promise<boolean> {
  const isStoredForEveryone = stored.length === 1 && stored.some(isEveryone);
  const to = request.to ?? (isStoredForEveryone ? stored : await listDefaultRecipients(ctx, request));
  if (to.some(isEveryone)) return isStoredForEveryone;
  const recipients = await replaceSessionKeys(ctx, to);
  const matches = (entry: string, name: string) => {
    const [requested, known] = [fold(entry), fold(name)];
    return requested === known || known.endsWith(`/${requested}`);
  };
  return (
    recipients.every((entry) => stored.some((name) => matches(entry, name))) &&
    stored.every((name) => recipients.some((entry) => matches(entry, name)))
  );
}

/**
 * Returns the recipients of a request that names none, as far as its reply tells. They do not depend on who has left
 * since.
 */
async function listDefaultRecipients(
  ctx: TeamContext<FeedServices>,
  request: PostRequest,
): Promise<readonly string[]> {
  const replied = await findReplied(ctx, request);
  if (!replied || findAsker(ctx, request, replied) === null) return everyone.recipients;
  return [formatAddress({ team: replied.author_team ?? "", name: replied.author_peer })];
}

const sessionKeyPattern = /^[A-Za-z0-9+/]{43}=$/;

/** Replaces each session key with the address of its peer. */
async function replaceSessionKeys(
  { services, session }: TeamContext<FeedServices>,
  to: readonly string[],
): Promise<string[]> {
  if (!to.some((entry) => sessionKeyPattern.test(entry))) return [...to];
  const { orm, meshId } = services.database;
  const rows = await listPeers(orm, meshId, session.sessionId);
  const addresses = new Map(rows.map((row) => [row.sessionKey, formatAddress(row)]));
  return to.map((entry) => addresses.get(entry) ?? entry);
}

/** Marks a person's own post as read, if the person has no unread messages before it (PERSON-6). */
async function markOwnPostRead(
  ctx: TeamContext<FeedServices>,
  person: PersonActor,
  posted: number,
): Promise<void> {
  const { database, mesh, log } = ctx.services;
  const { sessionId } = ctx.session;
  const { personId } = person;
  const { meshId } = database;
  const { peerId } = ctx.team.peer;
  try {
    const lastReads = await readLastReads(database.orm, meshId, personId, [sessionId]);
    const after = lastReads.get(sessionId) ?? 0;
    const unread = await countInbox(
      database.orm,
      sessionId,
      { peerId, includesOwn: false },
      { after, upTo: posted },
    );
    if (unread > 0) return;
    await saveLastRead(database.orm, { meshId, personId, sessionId }, posted);
    mesh.announceToPerson(personId, sessionId);
  } catch (error) {
    // The message is already posted, so nothing is lost. The person's own messages never count as unread, and
    // the next post or read moves the cursor past this message.
    log.warn("a person's reading could not be moved over their own post", { sessionId, error });
  }
}
