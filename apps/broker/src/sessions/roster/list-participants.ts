import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import type { SessionContext, SessionServices } from "../context.js";
import { readRoster } from "./participants.js";

export async function listParticipants(
  { services, session }: SessionContext<SessionServices>,
  input: ParsedInputOf<"list_participants">,
): Promise<OutputOf<"list_participants">> {
  const roster = await readRoster(services, session);
  const folded = roster.filter((row) => row.folded).length;
  return { participants: input.include_folded ? roster : roster.filter((row) => !row.folded), folded };
}
