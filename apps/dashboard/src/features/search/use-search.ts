import type { OutputOf, SearchHit, SearchKind } from "@merkle/wire";
import { useRead } from "@/broker/use-read";
import { hitsMax } from "./search-hits";

/** Searches as the user types. The previous hits stay until new ones arrive. */
export function useSearch(query: string, kinds: readonly SearchKind[]) {
  const trimmedQuery = query.trim();
  return useRead(
    "search",
    trimmedQuery === ""
      ? null
      : { query: trimmedQuery, limit: hitsMax, ...(kinds.length === 0 ? {} : { kinds: [...kinds] }) },
    { keepLast: trimmedQuery !== "" },
  );
}

/** Returns a session whose page can show the mesh's own state, if the hits need one. */
export function useAnySession(hits: readonly SearchHit[]): string | null {
  const isNeeded = hits.some((hit) => hit.kind === "state" && hit.session === null);
  const { data } = useRead("list_sessions", isNeeded ? { limit: 1 } : null);
  return findFirstSlug(data);
}

function findFirstSlug(data: OutputOf<"list_sessions"> | undefined): string | null {
  return data?.sessions[0]?.slug ?? null;
}
