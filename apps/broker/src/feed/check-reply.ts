import { findAnswer, findMessage, type StoredMessage } from "@merkle/db";
import { MerkleError, type ParsedInputOf } from "@merkle/wire";
import type { ChatPost } from "../core/message.js";
import type { TeamContext } from "../sessions/context.js";
import { fold, formatAddress } from "./recipients.js";
import type { FeedServices } from "./services.js";

type PostMessageInput = ParsedInputOf<"post_message">;

/** Encrypted text that only its recipient can read. The broker stores the text as received. */
type SealedContent = { readonly private: true; readonly sealed: string; readonly answer?: undefined };

/** A message that a caller wants to post. */
export interface PostRequest extends Pick<PostMessageInput, "to" | "priority" | "reply_to"> {
  readonly content: (PostMessageInput["content"] & Pick<PostMessageInput, "own">) | SealedContent;
  readonly operation: "post_message" | "send_message";
}

/** Returns the message that a post replies to (SEND-7), or null if it replies to none. @throws not_found */
export async function findReplied(
  { services, session }: TeamContext<FeedServices>,
  { reply_to }: Pick<PostRequest, "reply_to">,
): Promise<StoredMessage | null> {
  if (reply_to === undefined) return null;
  const replied = await findMessage(services.database.orm, session.sessionId, reply_to);
  if (!replied) throw noMessage(reply_to);
  return replied;
}

/**
 * Checks the ask that a post answers (SEND-10). An answer must be one of the ask's options and is stored in the
 * option's spelling.
 *
 * @throws bad_request, or conflict if the ask already has another answer
 */
export async function checkAnswer(
  ctx: TeamContext<FeedServices>,
  id: string,
  { content }: PostRequest,
  replied: StoredMessage | null,
): Promise<Pick<ChatPost, "content" | "answers">> {
  if (content.answer === undefined) return { content, answers: null };
  if (!replied) throw badAnswer("names no question: give the number of the question in reply_to");
  const answer = chooseOption(replied, content.answer);
  await refuseSettled(ctx, id, replied.sequence);
  return { content: { ...content, answer }, answers: replied.sequence };
}

/** @throws conflict when a different message has already answered the ask */
export async function refuseSettled(ctx: TeamContext<FeedServices>, id: string, ask: number): Promise<void> {
  const otherAnswer = await findAnswer(ctx.services.database.orm, ctx.session.sessionId, ask);
  if (!otherAnswer || otherAnswer.id === id) return;
  const { sequence, author_team, author_peer } = otherAnswer;
  const answered_by = formatAddress({ team: author_team ?? "", name: author_peer });
  throw new MerkleError(
    "conflict",
    `${answered_by} has already answered question ${ask} in message ${sequence}, so your answer was not posted. Read that answer. If you disagree, post a reply that is not an answer.`,
    { answered_by, sequence },
  );
}

function chooseOption(replied: StoredMessage, answer: string): string {
  const ask = toAsk(replied);
  if (!ask)
    throw badAnswer(`message ${replied.sequence} is not a question. Post a reply that is not an answer`);
  if (replied.redaction) throw removedAsk(replied.sequence);
  const { options } = ask;
  if (options.length === 0) return answer;
  const chosen = options.find((option) => option === answer) ?? options.find(isSameAs(answer));
  if (chosen === undefined)
    throw badAnswer(`the answer must be one of the options: ${formatOptions(options)}`, options);
  return chosen;
}

function isSameAs(answer: string): (option: string) => boolean {
  return (option) => fold(option) === fold(answer);
}

function toAsk({ type, content }: StoredMessage): { options: readonly string[] } | null {
  if (type !== "chat") return null;
  // The stored content was validated by the schema of post_message when it was posted.
  const { kind, options = [] }: { kind?: string; options?: string[] } = JSON.parse(content);
  return kind === "ask" ? { options } : null;
}

function formatOptions(options: readonly string[]): string {
  return options.map((option) => JSON.stringify(option)).join(", ");
}

function badAnswer(problem: string, options?: readonly string[]): MerkleError {
  return new MerkleError("bad_request", `The answer was not posted: ${problem}.`, {
    fields: [{ field: "content.answer", problem }],
    ...(options && { options }),
  });
}

function removedAsk(sequence: number): MerkleError {
  return new MerkleError(
    "conflict",
    `Question ${sequence} was removed, so your answer was not posted. You can still post a reply that is not an answer.`,
    { sequence },
  );
}

function noMessage(sequence: number): MerkleError {
  return new MerkleError(
    "not_found",
    `There is no message ${sequence} in this session to reply to, so nothing was posted. Use the number in front of the message.`,
    { field: "reply_to" },
  );
}
