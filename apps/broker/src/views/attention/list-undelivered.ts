import { listUndeliveredMessages } from "@merkle/db";
import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { requireSession } from "../../identity/session-directory.js";
import type { Context } from "../../sessions/context.js";
import type { ViewServices } from "../services.js";
import { computeUndeliveredCutoff } from "./facts.js";

/** Lists messages that no recipient has received for a while (ATT-12). */
export async function listUndelivered(
  { services }: Context<ViewServices>,
  { session, for_s = services.settings.current.undelivered_after_s }: ParsedInputOf<"list_undelivered">,
): Promise<OutputOf<"list_undelivered">> {
  const { orm, meshId } = services.database;
  const sessionIds =
    session === undefined ? undefined : [(await requireSession(services, session)).sessionId];
  const { messages, total } = await listUndeliveredMessages(
    orm,
    { meshId, sessionIds, includesFiles: false, limit: limits.attentionItemsMax },
    { before: computeUndeliveredCutoff(services, for_s), charsMax: limits.reasonCharsMax },
  );
  return {
    messages: messages.map(({ sessionId, slug, title, since, recipients, ...message }) => ({
      session_id: sessionId,
      session: slug,
      session_title: title,
      sequence: message.sequence,
      team: message.team,
      peer: message.peer,
      to: [...recipients],
      posted_at: since.toISOString(),
      text: message.text,
    })),
    total,
    for_s,
  };
}
