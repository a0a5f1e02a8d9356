"use client";

import { toFileHref } from "@merkle/wire";
import { Files, FileText } from "lucide-react";
import { useRead } from "@/broker/use-read";
import { useSettled } from "@/core/use-settled";
import type { PaletteHitsProps } from "@/parts/feature";
import { PaletteGroup, PaletteItem } from "@/shell/palette/palette-group";
import { showHidden } from "@/text/markdown/hidden-characters";

const shownFilesMax = 6;

/** The files whose path contains the typed text. */
export function Hits({ query, onGo }: PaletteHitsProps) {
  const settledQuery = useSettled(query);
  const { data: rootsData } = useRead("list_sources", { names_only: true });
  const isSearching = settledQuery !== "" && rootsData !== undefined && rootsData.roots.length > 0;
  const { data } = useRead(
    "list_sources",
    isSearching ? { query: settledQuery, limit: shownFilesMax } : null,
    {
      keepLast: isSearching,
    },
  );
  const { files, has_more } = data ?? { files: [], has_more: false };
  return (
    <PaletteGroup heading="Files" isEmpty={files.length === 0}>
      {files.map(({ source_path }) => (
        <PaletteItem
          key={source_path}
          value={`file ${source_path}`}
          Icon={FileText}
          onSelect={() => onGo(toFileHref({ file: source_path }))}
        >
          {showHidden(source_path)}
        </PaletteItem>
      ))}
      {has_more && (
        <PaletteItem
          value="files"
          Icon={Files}
          onSelect={() => onGo(`/sources?q=${encodeURIComponent(query)}`)}
        >{`All files with “${query}” in the path`}</PaletteItem>
      )}
    </PaletteGroup>
  );
}
