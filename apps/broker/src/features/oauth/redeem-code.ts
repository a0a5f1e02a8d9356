import {
  type ClientGrant,
  type EndedCredentials,
  findTokenOfCode,
  renewToken,
  type Transaction,
  takeClientGrant,
} from "@merkle/db";
import { limits } from "@merkle/wire/limits";
import { sha256 } from "../../core/sha256.js";
import type { IdentityServices } from "../../identity/context.js";
import { hashSecret } from "../../identity/credential.js";
import { cutOff, endInTransaction } from "../../identity/end-credentials.js";
import { makeToken } from "../../identity/tokens/token.js";

/** The parameters of a token request. */
export interface Redemption {
  readonly code: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly verifier: string;
  readonly resource: string;
}

export interface RedeemedToken {
  readonly token: string;
  readonly expiresAt: Date;
}

/**
 * Exchanges a code for its token. Returns null if the code is not valid for this client. A code can be used
 * once. If a code is presented with wrong parameters, too late or a second time, its token is revoked,
 * because someone else may have the code (OAUTH-4).
 */
export async function redeemCode(
  { database, revocations }: Pick<IdentityServices, "database" | "revocations">,
  redemption: Redemption,
): Promise<RedeemedToken | null> {
  const codeHash = hashSecret(redemption.code);
  const { redeemed, ended } = await database.transaction(async (tx) => {
    const grant = await takeClientGrant(tx, codeHash);
    const redeemed = grant?.isInTime && matchesGrant(grant, redemption) ? await issueToken(tx, grant) : null;
    if (redeemed) return { redeemed, ended: null };
    const of = grant ?? (await findTokenOfCode(tx, codeHash));
    return { redeemed: null, ended: of && (await endToken(tx, of)) };
  });
  if (ended) cutOff({ revocations }, ended.meshId, ended);
  return redeemed;
}

async function endToken(
  tx: Transaction,
  { meshId, number }: Pick<ClientGrant, "meshId" | "number">,
): Promise<EndedCredentials & { readonly meshId: string }> {
  return {
    meshId,
    ...(await endInTransaction(tx, { meshId, number, by: "a code that was presented twice" })),
  };
}

function matchesGrant(
  grant: ClientGrant,
  { clientId, redirectUri, verifier, resource }: Redemption,
): boolean {
  return (
    Buffer.from(grant.clientHash).equals(hashSecret(clientId)) &&
    grant.redirectUri === redirectUri &&
    grant.resource === resource &&
    // Checks the verifier as in RFC 7636, section 4.1. The challenge is not secret, so a plain comparison
    // leaks nothing.
    /^[\w.~-]{43,128}$/.test(verifier) &&
    sha256(verifier, "base64url") === grant.challenge
  );
}

async function issueToken(tx: Transaction, grant: ClientGrant): Promise<RedeemedToken | null> {
  const { token, secretHash } = makeToken("client");
  const expiresAt = await renewToken(tx, grant, { secretHash, seconds: limits.clientTokenSeconds });
  return expiresAt && { token, expiresAt };
}
