"use client";

import { BookText, History, ListTree, PencilLine, StickyNote } from "lucide-react";
import { type RefObject, Suspense, useMemo, useState } from "react";
import { CopyButton } from "@/components/copy-button";
import { TimeText } from "@/components/time-text";
import { Button } from "@/components/ui/button";
import { splitSections } from "@/lib/document/split-sections";
import { setQuery, useQueryParam } from "@/lib/query/use-query-param";
import { DocumentOutline } from "./lazy-faces";
import { laidOutCharsMax } from "./plain-document";
import { type DocumentRead, useVersion } from "./use-document";
import { goToPart } from "./use-point-out";
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
    <header className="flex min-h-10 flex-wrap items-center gap-x-2 gap-y-1 border-b px-3 py-1">
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
      <div role="toolbar" aria-label="Document" className="flex items-center gap-0.5">
        {isRead && content !== "" && content.length <= laidOutCharsMax && (
          <OutlineButton content={content} scroller={scroller} />
        )}
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
        {isRead && content !== "" && <CopyButton text={content} what="Document as markdown" />}
      </div>
    </header>
  );
}

interface ToolButtonProps {
  readonly icon: React.ReactNode;
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

function OutlineButton({ content, scroller }: { content: string; scroller: RefObject<HTMLElement | null> }) {
  const [isOpen, setOpen] = useState(false);
  const sections = useMemo(() => (isOpen ? splitSections(content) : []), [isOpen, content]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it listens to what happens in the button and the list.
    <div
      className="relative"
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !isOpen) return;
        event.stopPropagation();
        setOpen(false);
      }}
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) setOpen(false);
      }}
    >
      <Button
        variant="ghost"
        size="sm"
        title="Outline"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <ListTree aria-hidden />
        <span className="sr-only @min-[36rem]:not-sr-only">Outline</span>
      </Button>
      {isOpen && (
        <div className="absolute end-0 top-full z-20 mt-1 max-h-[60vh] w-72 max-w-[80vw] overflow-y-auto rounded-lg border bg-background shadow-lg">
          <Suspense fallback={<p className="p-3 text-sm text-muted-foreground">…</p>}>
            <DocumentOutline
              sections={sections}
              onGo={(key) => {
                setOpen(false);
                goToPart(scroller.current, key);
              }}
            />
          </Suspense>
        </div>
      )}
    </div>
  );
}
