"use client";

import { useId } from "react";
import { PageLink } from "@/components/page-link";
import type { PaletteEntry } from "@/parts/feature";
import { entryIcons } from "@/shell/palette/entry-icons";
import { usePaletteParts } from "@/shell/palette/palette";
import { findEntries } from "@/shell/palette/palette-entries";
import { useActionEntries, usePaletteEntries, usePlaceEntries } from "@/shell/palette/use-palette-entries";
import { showHidden } from "@/text/markdown/hidden-characters";

const shownMax = 5;

/** Pages, actions, sessions and people that this browser already knows. They appear while the broker still searches. */
export function LocalResults({ query }: { readonly query: string }) {
  const id = useId();
  const entries = [
    ...(usePaletteEntries(usePaletteParts()) ?? []),
    ...useActionEntries(),
    ...usePlaceEntries(),
  ];
  // The page that is open needs no link to itself, and the search finds tasks in any case.
  const found = findEntries(entries, query.trim())
    .filter(({ href, kind }) => href !== "/search" && kind !== "task")
    .slice(0, shownMax);
  if (found.length === 0) return null;
  return (
    <section aria-labelledby={id} className="flex flex-wrap items-center gap-1.5">
      <h2 id={id} className="text-sm text-muted-foreground">
        Go to
      </h2>
      <ul className="contents">
        {found.map((entry) => (
          <li key={entry.key} className="max-w-full">
            <LocalResult entry={entry} />
          </li>
        ))}
      </ul>
    </section>
  );
}

const look =
  "inline-flex max-w-full items-center gap-1.5 rounded-md border px-2 py-0.5 hover:bg-surface pointer-coarse:min-h-11";

function LocalResult({ entry: { href, kind, label, run } }: { readonly entry: PaletteEntry }) {
  const Icon = entryIcons[kind];
  const content = (
    <>
      <Icon aria-hidden className="size-4 shrink-0 text-muted-foreground" />
      <bdi className="min-w-0 truncate">{showHidden(label)}</bdi>
    </>
  );
  return href === undefined ? (
    <button type="button" className={look} onClick={run}>
      {content}
    </button>
  ) : (
    <PageLink href={href} className={look}>
      {content}
    </PageLink>
  );
}
