import { insertProgressEntry } from "@merkle/db";
import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import type { MeshContext } from "../sessions/context.js";
import { authorOf } from "../sessions/roster/author.js";
import { createEntryId } from "./entry-id.js";
import type { ProgressServices } from "./services.js";
import { foldedTags, withoutTwins } from "./tags.js";

/** Logs what was done. The project comes into being with its first entry; no entry is ever changed (PROGRESS-1). */
export async function logProgress(
  ctx: MeshContext<ProgressServices>,
  input: ParsedInputOf<"log_progress">,
): Promise<OutputOf<"log_progress">> {
  const { meshId } = ctx.services.database;
  const { projectId, title, content, agentId = null } = input;
  const { name: loggedBy, sessionId } = await authorOf(ctx, input.session);
  const tags = withoutTwins(input.tags);
  return ctx.write(async ({ tx, afterCommit }) => {
    afterCommit(() => ctx.services.mesh.announce("progress", null));
    const id = createEntryId();
    const createdAt = new Date();
    await insertProgressEntry(tx, {
      meshId,
      id,
      projectId,
      title,
      content,
      tags,
      titleKey: title.toLowerCase(),
      tagKeys: foldedTags(tags),
      agentId,
      loggedBy,
      sessionId,
      createdAt,
    });
    return { id, projectId, title, createdAt: createdAt.toISOString() };
  });
}
