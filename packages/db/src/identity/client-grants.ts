import { and, eq, isNull, sql } from "drizzle-orm";
import { clientGrants } from "../core/schema.js";
import type { Queryable, Transaction } from "../core/transactions.js";

/**
 * The terms on which a client gets a token: the team that the client acts as, and who may redeem the code for
 * the token (OAUTH-4).
 */
export interface ClientGrant {
  readonly meshId: string;
  /** Number of the client's token. */
  readonly number: number;
  readonly sessionId: string;
  readonly teamId: string;
  readonly clientHash: Uint8Array;
  readonly redirectUri: string;
  readonly resource: string;
  readonly challenge: string;
}

export async function insertClientGrant(
  tx: Transaction,
  { codeSeconds, ...grant }: ClientGrant & { readonly codeHash: Uint8Array; readonly codeSeconds: number },
): Promise<void> {
  await tx.insert(clientGrants).values({
    ...grant,
    codeExpiresAt: sql`now() + make_interval(secs => ${codeSeconds})`,
  });
}

/**
 * Redeems a client's code. Returns null if the code is unknown or was already redeemed. If several callers
 * race, exactly one gets the grant.
 */
export async function takeClientGrant(
  tx: Transaction,
  codeHash: Uint8Array,
): Promise<(ClientGrant & { readonly isInTime: boolean }) | null> {
  const [row] = await tx
    .update(clientGrants)
    .set({ codeUsedAt: sql`now()` })
    .where(and(eq(clientGrants.codeHash, codeHash), isNull(clientGrants.codeUsedAt)))
    .returning();
  return row ? { ...row, isInTime: row.codeExpiresAt > (row.codeUsedAt ?? row.codeExpiresAt) } : null;
}

/** Returns the token that a code was issued for, whether or not the code was redeemed. */
export async function findTokenOfCode(
  db: Queryable,
  codeHash: Uint8Array,
): Promise<Pick<ClientGrant, "meshId" | "number"> | null> {
  const [row] = await db
    .select({ meshId: clientGrants.meshId, number: clientGrants.number })
    .from(clientGrants)
    .where(eq(clientGrants.codeHash, codeHash));
  return row ?? null;
}
