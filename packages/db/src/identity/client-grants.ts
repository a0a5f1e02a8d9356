import { and, eq, isNull, sql } from "drizzle-orm";
import { clientGrants } from "../core/schema.js";
import type { Queryable, Transaction } from "../core/transactions.js";

/** The terms of a client's token: as which team it acts, and who may redeem its code (OAUTH-4). */
export interface ClientGrant {
  readonly meshId: string;
  /** Its token's. */
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

/** Uses a code up; of any number who present it at the same moment one gets the grant, and null says that it was used before. */
export async function takeClientGrant(
  tx: Transaction,
  codeHash: Uint8Array,
): Promise<(ClientGrant & { readonly inTime: boolean }) | null> {
  const [row] = await tx
    .update(clientGrants)
    .set({ codeUsedAt: sql`now()` })
    .where(and(eq(clientGrants.codeHash, codeHash), isNull(clientGrants.codeUsedAt)))
    .returning();
  return row ? { ...row, inTime: row.codeExpiresAt > (row.codeUsedAt ?? row.codeExpiresAt) } : null;
}

/** The token that a code was for, used up or not. */
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
