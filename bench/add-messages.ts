import type { connectPool } from "@merkle/db";
import type { TeamInSession } from "./places.js";

const addedAtOnce = 20_000;

/**
 * Inserts messages directly into a feed. Posting the messages would take most of the time, and other benchmarks measure
 * posting.
 */
export async function addMessages(
  sql: ReturnType<typeof connectPool>,
  { session_id, team_id }: Pick<TeamInSession, "session_id" | "team_id">,
  count: number,
): Promise<void> {
  await sql`SELECT set_config('statement_timeout', '0', false)`;
  for (let left = count; left > 0; left -= addedAtOnce) {
    const rows = Math.min(left, addedAtOnce);
    await sql`
      INSERT INTO messages (session_id, sequence, id, type, posted_by_team_id, author_team, content, salt, posted_at)
      SELECT f.session_id, f.last_sequence + n, uuidv7(), 'chat', ${team_id.slice(0, 36)}, 'Bench',
        '{"text":"' || repeat(md5((f.last_sequence + n)::text), 10) || '"}', uuid_send(gen_random_uuid()), now()
      FROM feeds f, generate_series(1, ${rows}::int) n WHERE f.session_id = ${session_id}`;
    await sql`UPDATE feeds SET last_sequence = last_sequence + ${rows}::int, last_posted_at = now()
      WHERE session_id = ${session_id}`;
  }
}
