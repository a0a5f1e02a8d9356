import type { MemoryChoice } from "@merkle/db";
import type { ParsedInputOf, Services } from "../context.js";
import { requireSession } from "../sessions/access/require-session.js";
import { foldTags } from "./memory-output.js";

type Chosen = Pick<ParsedInputOf<"recall">, "tags" | "by" | "since" | "session">;

/** Which memories a list or a search is about (MEM-14). */
export async function toMemoryChoice(
  services: Services,
  { tags = [], by, since, session }: Chosen,
): Promise<MemoryChoice> {
  return {
    tags: foldTags(tags),
    by,
    since: since === undefined ? undefined : new Date(since),
    sessionId: session === undefined ? undefined : (await requireSession(services, session)).sessionId,
  };
}
