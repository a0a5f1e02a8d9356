/**
 * A separate database client that the campaign pauses between its lock and its commit. It locks a feed, either directly
 * or by appending a message to it. It then prints a line, and commits on request.
 */
import { once } from "node:events";
import postgres from "postgres";

const { target, session, row } = JSON.parse(process.argv[2] ?? "{}");
const options = { max: 1, onnotice: () => undefined, connection: { application_name: "another client" } };
const sql = typeof target === "string" ? postgres(target, options) : postgres({ ...target, ...options });

await sql.begin(async (tx) => {
  if (row) {
    const [{ sequence }] = await tx`
      SELECT sequence FROM append_messages(${JSON.stringify([row])}::text::json, true)`;
    say({ sequence: Number(sequence) });
  } else {
    await tx`SELECT FROM feeds WHERE session_id = ${session} FOR NO KEY UPDATE`;
    say({});
  }
  await once(process.stdin, "data");
});
say({ committed: true });
await sql.end({ timeout: 1 });
process.exit(0);

function say(line) {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
