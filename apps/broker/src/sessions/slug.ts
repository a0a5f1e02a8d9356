import { randomBytes } from "node:crypto";
import { claimSlug, listSlugsLike, type Transaction } from "@merkle/db";
import { MerkleError } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { createSlug } from "@merkle/wire/slug";

/**
 * Reserves a slug for a new session. A requested slug must be free. A slug derived from the title gets a
 * number if it is taken.
 *
 * @throws conflict
 */
export async function takeSlug(
  tx: Transaction,
  session: { meshId: string; sessionId: string; title: string; wanted: string | undefined },
): Promise<string> {
  const { meshId, sessionId, wanted } = session;
  if (wanted !== undefined) {
    if (await claimSlug(tx, meshId, wanted, sessionId)) return wanted;
    throw new MerkleError(
      "conflict",
      `A session "${wanted}" already exists. Join it, or choose another slug.`,
      {
        slug: wanted,
      },
    );
  }
  const base = createSlug(session.title) || "session";
  const taken = await listSlugsLike(tx, meshId, base);
  for (let number = 1; number <= taken.size + 1; number += 1) {
    const slug = number === 1 ? base : withSuffix(base, `-${number}`);
    if (!taken.has(slug) && (await claimSlug(tx, meshId, slug, sessionId))) return slug;
  }
  // Other sessions have meanwhile taken every number that seemed free.
  const slug = withSuffix(base, `-${randomBytes(4).toString("hex")}`);
  await claimSlug(tx, meshId, slug, sessionId);
  return slug;
}

function withSuffix(base: string, suffix: string): string {
  return base.slice(0, limits.slugCharsMax - suffix.length).replace(/-+$/, "") + suffix;
}
