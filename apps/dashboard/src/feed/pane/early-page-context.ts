"use client";

import { usePathname } from "next/navigation";
import { createContext, use, useEffect, useRef } from "react";
import { useBroker } from "@/broker/use-broker";
import { useQueryParam } from "@/core/address/use-query-param";
import { EarlyPage } from "@/feed/store/early-page";
import { loadMarkdown } from "@/text/markdown/markdown-text";
import { useFeedFilter, useLinkedSequence } from "./use-feed-filter";

/** Holds the first page of the session's feed, if it was requested early. */
export type EarlyPageHolder = { readonly current: EarlyPage | null };

export const EarlyPageContext = createContext<EarlyPageHolder>({ current: null });

export function useEarlyPage(): EarlyPageHolder {
  return use(EarlyPageContext);
}

/** While the session is loading, requests the feed page that the URL selects and loads the markdown renderer. */
export function useFeedPrefetch(sessionId: string | undefined, isLoading: boolean): EarlyPageHolder {
  const broker = useBroker();
  const filter = useFeedFilter();
  const linkedSequence = useLinkedSequence();
  const [at] = useQueryParam("at");
  const isFeedPage = usePathname().split("/").length === 3;
  const early = useRef<EarlyPage | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the first page of a session is asked for once.
  useEffect(() => {
    void loadMarkdown().catch(() => undefined);
    if (sessionId === undefined || !isLoading || !isFeedPage) return;
    const view = { sessionId, filter, at };
    early.current = new EarlyPage(
      broker,
      view,
      linkedSequence === null ? { is: "last" } : { is: "around", sequence: linkedSequence },
    );
    return () => {
      early.current = null;
    };
  }, [broker, sessionId]);
  return early;
}
