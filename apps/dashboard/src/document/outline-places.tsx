"use client";

import { ListTree } from "lucide-react";
import { type RefObject, useMemo, useState } from "react";
import { ToolButton } from "@/components/tool-button";
import { splitSections } from "@/text/split-sections";
import { DocumentOutline } from "./lazy-faces";
import { renderedCharsMax } from "./plain-document";
import { goToPart } from "./use-point-out";

interface OutlinePlaceProps {
  readonly content: string;
  readonly scroller: RefObject<HTMLElement | null>;
}

/** The outline next to the text, if the pane is wide enough. */
export function OutlineAside({ content, scroller }: OutlinePlaceProps) {
  const sections = useMemo(() => (hasOutline(content) ? splitSections(content) : []), [content]);
  if (sections.length < 2) return null;
  return (
    <aside className="sticky top-3 hidden max-h-[80vh] w-56 shrink-0 self-start overflow-y-auto border-s text-muted-foreground @min-[64rem]:block group-has-data-topics-margin/document:@max-[84rem]:hidden">
      <DocumentOutline sections={sections} onGo={(key) => goToPart(scroller.current, key)} />
    </aside>
  );
}

/** A button that opens the outline over the text, if the pane has no space for it next to the text. */
export function OutlineButton({ content, scroller }: OutlinePlaceProps) {
  const [isOpen, setOpen] = useState(false);
  const sections = useMemo(() => (isOpen ? splitSections(content) : []), [isOpen, content]);
  if (!hasOutline(content)) return null;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it handles events of the button and the list.
    <div
      // Comments or a persona's reading next to the text take the space of the outline.
      className="@min-[64rem]:hidden group-has-data-topics-margin/document:@max-[84rem]:block group-data-perspective/document:@max-[90rem]:block group-has-data-topics-margin/document:group-data-perspective/document:@max-[110rem]:block"
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !isOpen) return;
        event.stopPropagation();
        setOpen(false);
      }}
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) setOpen(false);
      }}
    >
      <ToolButton
        icon={<ListTree aria-hidden />}
        label="Outline"
        isExpanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      />
      {isOpen && (
        <div className="absolute end-2 top-full z-20 mt-1 max-h-[60vh] w-72 max-w-[80vw] overflow-y-auto rounded-lg border bg-background shadow-lg">
          <DocumentOutline
            sections={sections}
            onGo={(key) => {
              setOpen(false);
              goToPart(scroller.current, key);
            }}
          />
        </div>
      )}
    </div>
  );
}

/** A document that is shown as plain text has no headings to scroll to. */
function hasOutline(content: string): boolean {
  return content !== "" && content.length <= renderedCharsMax;
}
