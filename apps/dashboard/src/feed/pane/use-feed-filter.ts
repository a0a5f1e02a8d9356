"use client";

import { useMemo } from "react";
import { useQueryParam } from "@/core/address/use-query-param";
import { type FeedFilter, parseFeedTypes } from "@/feed/store/feed-filter";

/** The filter that the address names: `?types=chat,ask&team=Cedar&q=key`. */
export function useFeedFilter(): FeedFilter {
  const [types] = useQueryParam("types");
  const [team] = useQueryParam("team");
  const [q] = useQueryParam("q");
  return useMemo(
    () => ({ types: parseFeedTypes(types), team: team || null, q: q || null }),
    [types, team, q],
  );
}

/** The message that the address names: `?m=405`. */
export function useAskedMessage(): number | null {
  const [m] = useQueryParam("m");
  const sequence = Number(m);
  return Number.isSafeInteger(sequence) && sequence > 0 ? sequence : null;
}
