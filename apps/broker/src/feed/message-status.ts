import { findAnswer, findMessage } from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import type { SessionContext } from "../sessions/context.js";
import { readRecipientStates } from "./recipient-states.js";
import { addressOf } from "./recipients.js";
import type { FeedServices } from "./services.js";

type Output = OutputOf<"message_status">;

/**
 * Tells which peers a message reached, which of them have got it, and who answered it (DELIVER-9).
 *
 * @throws not_found when the session has no such message
 */
export async function messageStatus(
  ctx: SessionContext<FeedServices>,
  input: ParsedInputOf<"message_status">,
): Promise<Output> {
  const { services, session } = ctx;
  const message = await findMessage(services.database.orm, session.sessionId, input.message);
  if (!message) {
    throw new MerkleError("not_found", `There is no message ${input.message} in this session.`);
  }
  const { sequence, reaches, postedAt, postedByPeerId: authorPeerId } = message;
  const recipients = await readRecipientStates(services, session, {
    sequence,
    reaches,
    postedAt,
    authorPeerId,
  });
  return {
    message: sequence,
    recipients,
    delivered: recipients.filter(({ delivered }) => delivered).length,
    answered: await readAnswer(ctx, sequence),
  };
}

async function readAnswer(
  { services, session }: SessionContext<FeedServices>,
  ask: number,
): Promise<Output["answered"]> {
  const answer = await findAnswer(services.database.orm, session.sessionId, ask);
  if (!answer) return null;
  const content: Record<string, unknown> = JSON.parse(answer.content);
  return {
    message: answer.sequence,
    by: addressOf({ team: answer.authorTeam ?? "", name: answer.authorPeer }),
    answer: typeof content["answer"] === "string" ? content["answer"] : null,
  };
}
