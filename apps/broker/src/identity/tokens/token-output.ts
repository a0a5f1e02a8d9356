import type { KnownToken } from "@merkle/db";
import type { Token } from "@merkle/wire";

/** A token as those see it who may revoke it; null for a ticket, which is used up before anybody could. */
export function toToken(row: KnownToken): Token | null {
  const { kind, session } = row;
  if (kind === "ticket") return null;
  return {
    token_id: row.number,
    kind,
    label: row.label,
    member: row.member?.name ?? null,
    session:
      session && row.sessionId !== null
        ? { session_id: row.sessionId, slug: session.slug, title: session.title }
        : null,
    created_at: row.createdAt.toISOString(),
    expires_at: row.expiresAt.toISOString(),
    last_used_at: row.lastUsedAt?.toISOString() ?? null,
  };
}
