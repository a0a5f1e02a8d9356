import type { MemoryChoice } from "@merkle/db";
import type { ParsedInputOf } from "@merkle/wire";
import { requireSession } from "../identity/require-session.js";
import type { SessionServices } from "../sessions/context.js";
import { foldTags } from "./memory-output.js";

type Chosen = Pick<ParsedInputOf<"recall">, "tags" | "by" | "since" | "session">;

/** Which memories a list or a search is about (MEM-14). */
export async function toMemoryChoice(
  services: SessionServices,
  { tags = [], by, since, session }: Chosen,
): Promise<MemoryChoice> {
  return {
    tags: foldTags(tags),
    by,
    since: since === undefined ? undefined : new Date(since),
    sessionId: session === undefined ? undefined : (await requireSession(services, session)).sessionId,
  };
}
