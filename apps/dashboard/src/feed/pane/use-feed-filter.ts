"use client";

import { useMemo } from "react";
import { useQueryParam } from "@/core/address/use-query-param";
import { type FeedViewFilter, parseFeedTypes } from "@/feed/store/feed-filter";

/** Returns the filter from the URL: `?types=chat,ask&team=Cedar&q=key&thread=17`. */
export function useFeedFilter(): FeedViewFilter {
  const [types] = useQueryParam("types");
  const [team] = useQueryParam("team");
  const [q] = useQueryParam("q");
  const thread = useSequenceParam("thread");
  return useMemo(
    () => ({ types: parseFeedTypes(types), team: team || null, q: q || null, thread }),
    [types, team, q, thread],
  );
}

/** Returns the message that the URL names: `?m=405`. */
export function useLinkedSequence(): number | null {
  return useSequenceParam("m");
}

function useSequenceParam(name: string): number | null {
  const [text] = useQueryParam(name);
  const sequence = Number(text);
  return Number.isSafeInteger(sequence) && sequence > 0 ? sequence : null;
}
