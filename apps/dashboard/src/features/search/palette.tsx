"use client";

import { Search } from "lucide-react";
import { useSettled } from "@/core/use-settled";
import type { PaletteHitsProps } from "@/parts/feature";
import { PaletteGroup, PaletteItem } from "@/shell/palette/palette-group";
import { MarkedText } from "@/text/marked-text";
import { hitIcons } from "./hit-icons";
import { describeHitTitle, foldHits, kindLabels, toHitHref } from "./search-hits";
import { useSearch } from "./use-search";

const shownHitsMax = 8;
/** More than are shown, because equal hits are folded into one, and sessions and tasks have groups of their own. */
const readHitsMax = 20;

/**
 * Matches a last word of at least three letters, which the user may still be typing. The search then also finds words
 * that begin with it.
 */
const lastWord = /[\p{L}\p{N}]{3}$/u;

export function Hits({ query, onGo }: PaletteHitsProps) {
  const settledQuery = useSettled(query);
  const { data } = useSearch(settledQuery.replace(lastWord, "$&*"), { limit: readHitsMax });
  const hits = foldHits((data?.hits ?? []).filter(({ kind }) => kind !== "session" && kind !== "task"))
    .flatMap(({ hit, others }) => {
      const href = toHitHref(hit);
      return href === null ? [] : [{ hit, href, count: others.length + 1 }];
    })
    .slice(0, shownHitsMax);
  return (
    <PaletteGroup heading="Messages and documents" isEmpty={false}>
      {hits.map(({ hit, href, count }) => (
        // The sequence is part of the key, because several hits in one comment open the same page.
        <PaletteItem
          key={`${href} ${hit.sequence}`}
          value={`hit ${href} ${hit.sequence}`}
          Icon={hitIcons[hit.kind]}
          note={count === 1 ? describeHitTitle(hit) : `${count} × ${describeHitTitle(hit)}`}
          onSelect={() => onGo(href)}
        >
          <span className="sr-only">{kindLabels[hit.kind]}: </span>
          <MarkedText text={hit.marked} />
        </PaletteItem>
      ))}
      <PaletteItem
        value="search"
        Icon={Search}
        onSelect={() => onGo(`/search?q=${encodeURIComponent(query)}`)}
      >
        Search everything for “{query}”
        {data && data.total > hits.length && ` · ${data.total.toLocaleString("en")} matches`}
      </PaletteItem>
    </PaletteGroup>
  );
}
