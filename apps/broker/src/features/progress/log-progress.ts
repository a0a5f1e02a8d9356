import { randomInt } from "node:crypto";
import { insertProgressEntry } from "@merkle/db";
import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import type { MeshContext, UnnamedContext } from "../../sessions/context.js";
import { readAuthor } from "../../sessions/roster/author.js";
import type { ProgressServices } from "./services.js";

/** Adds a progress entry. The first entry creates its project, and no entry is ever changed (PROGRESS-1). */
export async function logProgress(
  ctx: MeshContext<ProgressServices> | UnnamedContext<ProgressServices>,
  input: ParsedInputOf<"log_progress">,
): Promise<OutputOf<"log_progress">> {
  const { meshId } = ctx.services.database;
  const { projectId, title, content, agentId = null } = input;
  const { name: loggedBy, sessionId } = await readAuthor(ctx, input.session);
  const tags = withoutDuplicates(input.tags);
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
      tagKeys: toTagKeys(tags),
      agentId,
      loggedBy,
      sessionId,
      createdAt,
    });
    return { id, projectId, title, createdAt: createdAt.toISOString() };
  });
}

/**
 * Removes duplicate tags, ignoring case, and keeps the spelling of the first: of "CI" and "ci", "CI" is kept.
 */
function withoutDuplicates(tags: readonly string[]): string[] {
  const byKey = new Map<string, string>();
  for (const tag of tags) if (!byKey.has(tag.toLowerCase())) byKey.set(tag.toLowerCase(), tag);
  return [...byKey.values()];
}

export function toTagKeys(tags: readonly string[]): string[] {
  return withoutDuplicates(tags).map((tag) => tag.toLowerCase());
}

const alphabet = "0123456789abcdefghijklmnopqrstuvwxyz";
const idChars = 12;

/**
 * Returns a random id such as `a1b2c3d4e5f6`: 62 random bits, in characters that need no escaping in a URL and
 * are easy to read aloud.
 */
function createEntryId(): string {
  return Array.from({ length: idChars }, () => alphabet[randomInt(alphabet.length)]).join("");
}
