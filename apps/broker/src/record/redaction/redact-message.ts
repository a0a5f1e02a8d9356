import { isImported } from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import type { SessionContext } from "../../sessions/context.js";
import type { RecordServices } from "../services.js";
import { redactOne, requireRemover } from "./redact-one.js";
import { redactVersions } from "./redact-versions.js";

type Input = ParsedInputOf<"redact_message">;
type Output = OutputOf<"redact_message">;

/**
 * Removes the text of a message, or of versions of the document, for good, and tells everybody (REDACT-1). What was hashed
 * of it stays, so every proof holds. Asked for again, it does nothing and names the event that told of it.
 *
 * @throws forbidden for what another team wrote, unless a human asks or an admin; conflict for what is still in force
 */
export async function redactMessage(ctx: SessionContext<RecordServices>, input: Input): Promise<Output> {
  const remover = requireRemover(ctx);
  const reason = input.reason ?? null;
  if (await isImported(ctx.services.database.orm, ctx.session.sessionId)) throw notOurs(ctx.session.slug);
  if (input.document_versions) {
    return redactVersions(ctx, remover, { range: input.document_versions, reason });
  }
  // The schema lets through what names one of the two.
  return redactOne(ctx, remover, { sequence: input.sequence ?? 0, reason });
}

/** An event here would make its record another one than its origin signs under the same name. */
function notOurs(slug: string): MerkleError {
  return new MerkleError(
    "conflict",
    `The session "${slug}" was imported, and its record is another broker's; nothing was removed. Remove the text there, and import its new export: that removes it here, too.`,
  );
}
