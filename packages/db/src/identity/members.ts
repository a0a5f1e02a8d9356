import { and, asc, eq, isNull, type SQL, sql } from "drizzle-orm";
import { members } from "../core/schema.js";
import type { Queryable, Transaction } from "../core/transactions.js";

export interface MemberRow {
  readonly meshId: string;
  readonly memberId: string;
  readonly name: string;
  readonly role: "admin" | "member";
  /** The member's ed25519 public key, 32 bytes. */
  readonly publicKey: Uint8Array;
  readonly invite: number | null;
  /**
   * Id of the member who vouches for this member: the author of the invite, or the member itself. Null if
   * this was not recorded.
   */
  readonly vouchedBy: string | null;
  /**
   * Number of the program token that admitted the member. When that token ends, the membership ends too. Null
   * if a person vouches.
   */
  readonly program: number | null;
  readonly joinedAt: Date;
  readonly revokedAt: Date | null;
  readonly revokedBy: string | null;
}

/** Finds a member, whether revoked or not. */
export async function findMember(
  db: Queryable,
  meshId: string,
  by: { readonly memberId: string } | { readonly publicKey: Uint8Array },
): Promise<MemberRow | null> {
  const isIt = "memberId" in by ? eq(members.memberId, by.memberId) : eq(members.publicKey, by.publicKey);
  const [row] = await db
    .select()
    .from(members)
    .where(and(eq(members.meshId, meshId), isIt));
  return row ?? null;
}

/** Lists the active memberships in all meshes that belong to a public key. */
export async function listMembershipsOfKey(db: Queryable, publicKey: Uint8Array): Promise<MemberRow[]> {
  return db
    .select()
    .from(members)
    .where(and(eq(members.publicKey, publicKey), isNull(members.revokedAt)));
}

/** Lists all members of a mesh, including revoked ones, in the order in which they joined. */
export async function listMemberRows(db: Queryable, meshId: string): Promise<MemberRow[]> {
  return db
    .select()
    .from(members)
    .where(eq(members.meshId, meshId))
    .orderBy(asc(members.joinedAt), asc(members.memberId));
}

/**
 * Lists the active members whom a member invited, directly or indirectly, in the order in which they joined.
 * Leaves out `except` and everyone who was invited only through that member.
 */
export async function listInvitedBy(
  db: Queryable,
  { meshId, memberId }: Pick<MemberRow, "meshId" | "memberId">,
  { except }: { readonly except: string },
): Promise<Pick<MemberRow, "memberId" | "name">[]> {
  const rows = await db.execute<{ id: string; name: string }>(sql`
    WITH RECURSIVE invited AS (
      SELECT ${memberId}::uuid AS member_id
      UNION
      SELECT m.member_id FROM invited i JOIN ${members} m ON m.vouched_by = i.member_id
      WHERE m.mesh_id = ${meshId} AND m.member_id <> ${except}
    )
    SELECT m.member_id AS id, m.name FROM invited i JOIN ${members} m ON m.member_id = i.member_id
    WHERE m.mesh_id = ${meshId} AND m.member_id <> ${memberId} AND m.revoked_at IS NULL
    ORDER BY m.joined_at, m.member_id`);
  return [...rows].map(({ id, name }) => ({ memberId: id, name }));
}

export async function insertMember(tx: Transaction, member: MemberRow): Promise<void> {
  await tx.insert(members).values(member);
}

/**
 * Inserts a new member. Returns false if the mesh already has a member with the same key, for example from a
 * concurrent request.
 */
export async function insertNewMember(
  tx: Transaction,
  member: Omit<MemberRow, "joinedAt" | "revokedAt" | "revokedBy">,
): Promise<boolean> {
  const rows = await tx
    .insert(members)
    .values({ ...member, joinedAt: sql`now()` })
    .onConflictDoNothing({ target: [members.meshId, members.publicKey] })
    .returning({ memberId: members.memberId });
  return rows.length > 0;
}

export async function changeMember(
  tx: Transaction,
  { meshId, memberId }: Pick<MemberRow, "meshId" | "memberId">,
  to: Partial<Pick<MemberRow, "role" | "vouchedBy" | "program">>,
): Promise<void> {
  await tx
    .update(members)
    .set(to)
    .where(and(eq(members.meshId, meshId), eq(members.memberId, memberId)));
}

/**
 * Locks a member's row until the transaction ends, so that the member's concurrent actions happen one after
 * another.
 */
export async function lockMember(tx: Transaction, meshId: string, memberId: string): Promise<void> {
  await tx
    .select({ memberId: members.memberId })
    .from(members)
    .where(and(eq(members.meshId, meshId), eq(members.memberId, memberId)))
    .for("no key update");
}

/** Locks the rows of a mesh's admins until the transaction ends, and returns their ids. */
export async function lockAdmins(tx: Transaction, meshId: string): Promise<Set<string>> {
  const rows = await tx
    .select({ memberId: members.memberId })
    .from(members)
    .where(isAdminOf(meshId))
    .orderBy(asc(members.memberId))
    .for("no key update");
  return new Set(rows.map((row) => row.memberId));
}

/** Returns true if the mesh has an admin who has not been revoked. */
export async function hasAdmin(db: Queryable, meshId: string): Promise<boolean> {
  const [row] = await db
    .select({ memberId: members.memberId })
    .from(members)
    .where(isAdminOf(meshId))
    .limit(1);
  return row !== undefined;
}

/** Ends a membership. Returns false if the membership had already ended. */
export async function endMembership(
  tx: Transaction,
  member: { readonly meshId: string; readonly memberId: string },
  by: string,
): Promise<boolean> {
  const rows = await tx
    .update(members)
    .set({ revokedAt: sql`now()`, revokedBy: by })
    .where(
      and(
        eq(members.meshId, member.meshId),
        eq(members.memberId, member.memberId),
        isNull(members.revokedAt),
      ),
    )
    .returning({ memberId: members.memberId });
  return rows.length > 0;
}

function isAdminOf(meshId: string): SQL | undefined {
  return and(eq(members.meshId, meshId), eq(members.role, "admin"), isNull(members.revokedAt));
}
