import { insertToken } from "@merkle/db";
import type { OutputOf, ParsedInputOf, SessionContext } from "../../context.js";
import { requireMember } from "../require-member.js";
import { makeToken } from "./token.js";

/** Makes a link for somebody who is to look on in one session and do nothing else (TOKEN-7). */
export async function createObserverLink(
  ctx: SessionContext,
  { label, expires_in_s: seconds }: ParsedInputOf<"create_observer_link">,
): Promise<OutputOf<"create_observer_link">> {
  const { database, addresses, mesh } = ctx.services;
  const { sessionId, slug } = ctx.session;
  const { memberId, token: parent } = requireMember(ctx);
  return ctx.write(async ({ tx, afterCommit }) => {
    const { token, secretHash } = makeToken("observer");
    const { number, expiresAt } = await insertToken(tx, {
      meshId: database.meshId,
      kind: "observer",
      secretHash,
      holder: { sessionId },
      parent: parent ?? undefined,
      label,
      createdBy: memberId,
      seconds,
    });
    afterCommit(() => mesh.announce("members", null));
    return {
      token_id: number,
      token,
      link: `${addresses.base()}/sessions/${slug}#observe=${token}`,
      expires_at: expiresAt.toISOString(),
    };
  });
}
