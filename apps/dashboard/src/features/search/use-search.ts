import type { OutputOf, SearchHit, SearchKind } from "@merkle/wire";
import { useRead } from "@/broker/use-read";
import { hitsMax } from "./search-hits";

export interface SearchFilter {
  /** The kinds of hit. Empty for all kinds. */
  readonly kinds?: readonly SearchKind[];
  /** Slug of the session to search. Default: the whole mesh. */
  readonly session?: string | null;
  readonly limit?: number;
}

/** Searches as the user types. The previous hits stay until new ones arrive. Without words, lists the newest of `kinds`. */
export function useSearch(query: string, { kinds = [], session = null, limit = hitsMax }: SearchFilter = {}) {
  const trimmedQuery = query.trim();
  const isBlank = trimmedQuery === "" && kinds.length === 0;
  return useRead(
    "search",
    isBlank
      ? null
      : {
          query: trimmedQuery,
          limit,
          ...(kinds.length > 0 && { kinds: [...kinds] }),
          ...(session !== null && { session }),
        },
    { keepLast: !isBlank },
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
