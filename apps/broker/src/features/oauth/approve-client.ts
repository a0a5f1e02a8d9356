import { randomBytes } from "node:crypto";
import { findSession, findTeamOfMember, insertClientGrant, insertToken, lockMember } from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf, parseTeamCredential } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import type { Write } from "../../core/write.js";
import { hashSecret } from "../../identity/credential.js";
import type { MemberPrincipal } from "../../identity/principal.js";
import { requireMember } from "../../identity/require-member.js";
import { makeToken } from "../../identity/tokens/token.js";
import type { Context, SessionContext, SessionServices } from "../../sessions/context.js";
import { addTeam } from "../../sessions/roster/add.js";
import { refuseSecondSession } from "../../sessions/roster/refuse-second-session.js";
import { parseAuthorizationRequest } from "./authorization-request.js";

/**
 * Returns the client's name and the host that receives the authorisation code, so that the member can decide
 * (OAUTH-3).
 */
export async function previewClient(
  ctx: Context<SessionServices>,
  input: ParsedInputOf<"preview_client">,
): Promise<OutputOf<"preview_client">> {
  requireMember(ctx);
  const { client, toRedirectUrl } = parseAuthorizationRequest(ctx.services, input);
  return {
    name: client.name,
    redirect_host: new URL(input.redirect_uri).host,
    refuse_to: toRedirectUrl({ error: "access_denied" }),
  };
}

/**
 * Authorises an OAuth client to act as one of the member's teams in one session (OAUTH-3). Uses the member's
 * team with the requested name if it exists, and otherwise creates that team. The member's browser passes an
 * authorisation code to the client. The token is created only when the client redeems the code.
 */
export async function approveClient(
  ctx: SessionContext<SessionServices>,
  input: ParsedInputOf<"approve_client">,
): Promise<OutputOf<"approve_client">> {
  const { database, mesh } = ctx.services;
  const { meshId } = database;
  const member = requireMember(ctx);
  const { client, toRedirectUrl } = parseAuthorizationRequest(ctx.services, input);

  return ctx.write(async (write) => {
    const { tx, afterCommit } = write;
    const team = await takeTeam(ctx, write, member, input.team_name);
    const code = randomBytes(32).toString("base64url");
    const { number, expiresAt } = await insertToken(tx, {
      meshId,
      kind: "client",
      secretHash: makeToken("client").secretHash,
      holder: { memberId: member.memberId },
      authority: member.authority,
      label: client.name,
      seconds: limits.clientCodeSeconds,
    });
    await insertClientGrant(tx, {
      meshId,
      number,
      sessionId: ctx.session.sessionId,
      teamId: team.teamId,
      clientHash: hashSecret(input.client_id),
      redirectUri: input.redirect_uri,
      resource: input.resource,
      challenge: input.code_challenge,
      codeHash: hashSecret(code),
      codeSeconds: limits.clientCodeSeconds,
    });
    afterCommit(() => mesh.announce("members", null));
    return {
      token_id: number,
      team_name: team.name,
      redirect_to: toRedirectUrl({ code }),
      expires_at: expiresAt.toISOString(),
    };
  });
}

async function takeTeam(
  ctx: SessionContext<SessionServices>,
  write: Write,
  { memberId }: MemberPrincipal,
  name: string,
): Promise<{ readonly teamId: string; readonly name: string }> {
  const { database } = ctx.services;
  const { sessionId, slug } = ctx.session;
  await lockMember(write.tx, database.meshId, memberId);
  const own = await findTeamOfMember(write.tx, sessionId, { memberId, name });
  if (!own || own.leftAt) await refuseSecondSession(ctx, write, sessionId);
  if (own) return own;
  const session = await findSession(write.tx, database.meshId, sessionId);
  if (!session) throw new MerkleError("not_found", `There is no session "${slug}".`);
  const joined = await addTeam(ctx, write, { session_id: sessionId, team_name: name }, session);
  const credential = parseTeamCredential(joined.credential);
  if (!credential) throw new TypeError("A team was created without a credential.");
  return { teamId: credential.teamId, name: joined.name };
}
