import type postgres from "postgres";

/** Dates a stored message back, as if it had been posted this many minutes earlier. */
export async function dateBack(
  sql: postgres.Sql,
  { sessionId, sequence }: { readonly sessionId: string; readonly sequence: number },
  minutes: number,
): Promise<void> {
  await sql.begin(async (tx) => {
    // Triggers refuse any change of a message except a redaction.
    await tx`SET LOCAL session_replication_role = replica`;
    await tx`UPDATE messages SET posted_at = posted_at - make_interval(mins => ${minutes})
      WHERE session_id = ${sessionId} AND sequence = ${sequence}`;
  });
}
