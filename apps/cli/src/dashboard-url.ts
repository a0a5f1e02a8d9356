import type { Session } from "@merkle/wire";

/** Where the dashboard shows a session: among the sessions, found by its slug. */
export function toDashboardUrl(base: string, session: Pick<Session, "slug"> | undefined): string {
  return session === undefined ? `${base}/` : `${base}/?q=${encodeURIComponent(session.slug)}`;
}
