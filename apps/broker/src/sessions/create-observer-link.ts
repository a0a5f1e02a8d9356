import { insertToken } from "@merkle/db";
import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import { requireMember } from "../identity/require-member.js";
import { makeToken } from "../identity/tokens/token.js";
import type { SessionContext, SessionServices } from "./context.js";

/** Creates a link for an observer, who can read one session and do nothing else (TOKEN-7). */
export async function createObserverLink(
  ctx: SessionContext<SessionServices>,
  { label, expires_in_s: seconds }: ParsedInputOf<"create_observer_link">,
): Promise<OutputOf<"create_observer_link">> {
  const { database, addresses, mesh } = ctx.services;
  const { sessionId, slug } = ctx.session;
  const { authority } = requireMember(ctx);
  return ctx.write(async ({ tx, afterCommit }) => {
    const { token, secretHash } = makeToken("observer");
    const { number, expiresAt } = await insertToken(tx, {
      meshId: database.meshId,
      kind: "observer",
      secretHash,
      holder: { sessionId },
      authority,
      label,
      seconds,
    });
    afterCommit(() => mesh.announce("members", null));
    return {
      token_id: number,
      token,
      link: `${addresses.getBaseUrl()}/sessions/${slug}#observe=${token}`,
      expires_at: expiresAt.toISOString(),
    };
  });
}
