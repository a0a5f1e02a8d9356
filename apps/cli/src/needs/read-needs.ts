import type { AttentionItem, Session } from "@merkle/wire";
import { inParallel } from "../core/in-parallel.js";
import type { Actor } from "../identity/acting.js";
import { type Need, toNeed } from "../views/needs.js";

/** What waits for a human of a file under one of the broker's roots. */
export interface FileNeeds {
  readonly source_path: string;
  readonly needs: readonly Need[];
}

export interface MeshNeeds {
  /** Of each of the sessions, in their order. */
  readonly ofSessions: readonly (readonly Need[])[];
  readonly ofFiles: readonly FileNeeds[];
  /** Whether these are all files of which something waits. */
  readonly allFiles: boolean;
}

const sessionsAtOnce = 4;

/** What waits for a human: one call, where not more waits in the mesh than a reply holds. */
export async function readNeeds(
  reader: Actor,
  sessions: readonly Pick<Session, "session_id">[],
): Promise<MeshNeeds> {
  const { items, total } = await reader.call("list_attention", {});
  const allFiles = total <= items.length;
  const ofSessions = allFiles
    ? sessions.map(({ session_id }) => needsOf(items, session_id))
    : await inParallel(sessions, sessionsAtOnce, async ({ session_id }) =>
        needsOf((await reader.call("list_attention", { session: session_id })).items, session_id),
      );
  return { ofSessions, ofFiles: needsOfFiles(items), allFiles };
}

function needsOf(items: readonly AttentionItem[], sessionId: string): Need[] {
  return items.filter((item) => item.session_id === sessionId).map(toNeed);
}

function needsOfFiles(items: readonly AttentionItem[]): FileNeeds[] {
  const paths = new Set(items.flatMap(({ source_path }) => source_path ?? []));
  return [...paths].map((source_path) => ({
    source_path,
    needs: items.filter((item) => item.source_path === source_path).map(toNeed),
  }));
}
