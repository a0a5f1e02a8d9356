import type { Asker } from "../../identity/principal.js";

/**
 * By which an MCP session is kept and found: the id that its client holds, and who opened it. So the id is worth nothing in
 * other hands, whatever is asked with it (MCP-9). Where everybody is let in it is whoever holds the id.
 */
export function toSessionKey(id: string, opener: Asker): string {
  const owner = toOwner(opener);
  return owner === null ? id : `${id} ${owner}`;
}

/** The id as its client knows it. */
export function idOfKey(key: string): string {
  return key.split(" ", 1)[0] ?? "";
}

/** A member is the same one by whichever token it comes; who only looks on, or works on a job, has nothing but its token. */
function toOwner(opener: Asker): string | null {
  switch (opener?.kind) {
    case "member":
      return opener.memberId;
    case "observer":
      return `${opener.meshId} ${opener.token}`;
    case "job":
      return `${opener.meshId} job ${opener.job}`;
    default:
      return null;
  }
}
