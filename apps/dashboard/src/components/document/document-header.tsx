"use client";

import { BookText, History, PencilLine, StickyNote } from "lucide-react";
import type { ReactNode, RefObject } from "react";
import { CopyButton } from "@/components/copy-button";
import { TimeText } from "@/components/time-text";
import { Button } from "@/components/ui/button";
import { setQuery } from "@/lib/query/address";
import { useQueryParam } from "@/lib/query/use-query-param";
import { OutlineButton } from "./outline-places";
import { type DocumentRead, useVersion } from "./use-document";
import { useCompareParam } from "./use-version-param";

export interface DocumentHeaderProps {
  readonly doc: DocumentRead | undefined;
  readonly scroller: RefObject<HTMLElement | null>;
  readonly canEdit: boolean;
}

/** Which version this is, whose and from when; and what can be done with the document. */
export function DocumentHeader({ doc, scroller, canEdit }: DocumentHeaderProps) {
  const version = useVersion(doc?.version);
  const [face] = useQueryParam("doc");
  const [edit] = useQueryParam("edit");
  const isCompared = useCompareParam() !== null;
  const isHistory = face === "history" && !isCompared;
  const isRead = !isHistory && !isCompared && edit === null;
  const content = doc?.content ?? "";
  return (
    <header className="relative flex min-h-10 flex-wrap items-center gap-x-1 gap-y-1 border-b px-3 py-1 md:gap-x-2">
      <h2 className="flex min-w-0 flex-1 items-baseline gap-x-2 truncate font-semibold">
        Document
        <span className="truncate text-sm font-normal text-muted-foreground tabular-nums">
          {doc && `v${doc.version}`}
          {version && (
            <>
              {" · "}
              <bdi>{version.written_by}</bdi> <TimeText at={version.written_at} />
            </>
          )}
        </span>
      </h2>
      <div role="toolbar" aria-label="Document" className="flex items-center md:gap-0.5">
        {isRead && <OutlineButton content={content} scroller={scroller} />}
        <ToolButton
          icon={isHistory ? <BookText aria-hidden /> : <History aria-hidden />}
          label={isHistory ? "Text" : "History"}
          onClick={() => setQuery({ doc: isHistory ? null : "history", compare: null, edit: null })}
        />
        {canEdit && isRead && (
          <>
            <ToolButton
              icon={<StickyNote aria-hidden />}
              label="Add note"
              onClick={() => setQuery({ doc: face === "note" ? null : "note" }, { replace: true })}
            />
            <ToolButton
              icon={<PencilLine aria-hidden />}
              label="Edit"
              onClick={() => setQuery({ edit: "1", doc: null })}
            />
          </>
        )}
        {isRead && content !== "" && <CopyButton text={content} what="Document as markdown" compact />}
      </div>
    </header>
  );
}

interface ToolButtonProps {
  readonly icon: ReactNode;
  readonly label: string;
  readonly onClick: () => void;
}

/** Words where there is room for them. */
function ToolButton({ icon, label, onClick }: ToolButtonProps) {
  return (
    <Button variant="ghost" size="sm" title={label} onClick={onClick}>
      {icon}
      <span className="sr-only @min-[36rem]:not-sr-only">{label}</span>
    </Button>
  );
}
