"use client";

import { BookText, History, PencilLine, StickyNote } from "lucide-react";
import type { RefObject } from "react";
import { TimeText } from "@/components/time-text";
import { ToolButton } from "@/components/tool-button";
import { setQuery } from "@/core/address/address";
import { useQueryParam } from "@/core/address/use-query-param";
import { Parts } from "@/parts/features-context";
import { CopyButton } from "@/ui/copy-button";
import { OutlineButton } from "./outline-places";
import { type DocumentRead, useVersion } from "./use-document";
import { useCompareParam, useProposalParam } from "./use-version-param";

export interface DocumentHeaderProps {
  readonly doc: DocumentRead | undefined;
  readonly scroller: RefObject<HTMLElement | null>;
  /** True if the newest version is shown and kept up to date. */
  readonly isLive: boolean;
  readonly canEdit: boolean;
}

/** The header of the document: its version, author, time and toolbar. */
export function DocumentHeader({ doc, scroller, isLive, canEdit }: DocumentHeaderProps) {
  const version = useVersion(doc?.version);
  const [view] = useQueryParam("doc");
  const [edit] = useQueryParam("edit");
  const isComparing = useCompareParam() !== null;
  const isReviewing = useProposalParam() !== null;
  const isHistory = view === "history" && !isComparing && !isReviewing;
  const isReading = !isHistory && !isComparing && !isReviewing && edit === null;
  const content = doc?.content ?? "";
  return (
    <header className="relative flex min-h-10 flex-wrap items-center gap-x-1 gap-y-1 border-b px-3 py-1 md:gap-x-2">
      <h2 className="flex min-w-0 flex-1 basis-40 items-baseline gap-x-2 truncate leading-7 font-semibold">
        Document
        <span className="truncate text-sm font-normal text-muted-foreground tabular-nums">
          {doc && doc.version > 0 && `v${doc.version}`}
          {version && (
            <>
              {" · "}
              <bdi>{version.written_by}</bdi> <TimeText at={version.written_at} />
            </>
          )}
        </span>
      </h2>
      {isReading && content !== "" && (
        <CopyButton text={content} contentName="document as Markdown" isCompact />
      )}
      <div
        role="toolbar"
        aria-label="Document"
        // In a narrow pane the toolbar always has its own line, even before its buttons appear, so that the text below never moves.
        className="ms-auto flex flex-wrap items-center justify-end @min-[36rem]:gap-0.5 min-[1200px]:@max-[36rem]:-mx-2 min-[1200px]:@max-[36rem]:w-[calc(100%+1rem)] min-[1400px]:gap-1.5"
      >
        {isReading && <OutlineButton content={content} scroller={scroller} />}
        {isReading && isLive && <Parts select={({ text }) => text?.Tool} />}
        <ToolButton
          icon={isHistory ? <BookText aria-hidden /> : <History aria-hidden />}
          label={isHistory ? "Text" : "History"}
          onClick={() =>
            setQuery({ doc: isHistory ? null : "history", compare: null, proposal: null, edit: null })
          }
        />
        {canEdit && isReading && (
          <>
            <ToolButton
              icon={<StickyNote aria-hidden />}
              label="Note"
              onClick={() => setQuery({ doc: view === "note" ? null : "note" }, { replace: true })}
            />
            <ToolButton
              icon={<PencilLine aria-hidden />}
              label="Edit"
              onClick={() => setQuery({ edit: "1", doc: null })}
            />
          </>
        )}
      </div>
    </header>
  );
}
