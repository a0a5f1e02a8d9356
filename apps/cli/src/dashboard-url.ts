import type { Session } from "@merkle/wire";

/** The page of a session in the dashboard; without one, the first page. */
export function toDashboardUrl(base: string, session: Pick<Session, "slug"> | undefined): string {
  return session === undefined ? `${base}/` : `${base}/sessions/${session.slug}`;
}
