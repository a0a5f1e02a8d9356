import { listNamesLike, type Queryable, type Transaction } from "@merkle/db";

/** Finds a free name in a session, `Birch`, `Birch (2)`, …, and takes it (JOIN-4). */
export async function takeName(
  db: Queryable | Transaction,
  sessionId: string,
  wanted: string,
  take: (name: string) => Promise<boolean>,
): Promise<string> {
  const taken = await listNamesLike(db, sessionId, wanted);
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? wanted : `${wanted} (${number})`;
    if (!taken.has(name.toLowerCase()) && (await take(name))) return name;
  }
}
