"use client";

import { PencilLine } from "lucide-react";
import { memo, type ReactNode } from "react";
import { cn } from "@/core/utils";
import { MarkdownText } from "@/text/markdown/markdown-text";
import type { DocumentSection } from "@/text/split-sections";
import { Button } from "@/ui/button";

export interface DocumentSectionsProps {
  readonly sections: readonly DocumentSection[];
  /** The link definitions of the whole document. */
  readonly definitions: string;
  /** Keys of the sections that are highlighted for a moment. */
  readonly pointedOut: ReadonlySet<string>;
  /** Starts editing a section in place. Undefined if the document cannot be edited. */
  readonly onEdit?: ((section: DocumentSection) => void) | undefined;
  /** The editor that replaces the section with this key. If that section no longer exists, the editor is above all sections. */
  readonly editor: { readonly key: string; readonly content: ReactNode } | null;
}

/** The document, rendered section by section. Unchanged sections do not render again. */
export function DocumentSections({
  sections,
  definitions,
  pointedOut,
  onEdit,
  editor,
}: DocumentSectionsProps) {
  const isSectionPresent = sections.some(({ key }) => key === editor?.key);
  return (
    <>
      {editor && !isSectionPresent && <EditedSection editor={editor} />}
      {sections.map((section) =>
        section.key === editor?.key ? (
          <EditedSection key={section.key} editor={editor} />
        ) : (
          <Section
            key={section.key}
            section={section}
            definitions={definitions}
            isPointedOut={pointedOut.has(section.key)}
            onEdit={onEdit}
          />
        ),
      )}
    </>
  );
}

/** The wrapper is empty while the editor loads, so that the layout shifts only once. */
function EditedSection({ editor }: { editor: NonNullable<DocumentSectionsProps["editor"]> }) {
  return (
    <div data-part={editor.key} className="my-4 max-w-[72ch]">
      {editor.content}
    </div>
  );
}

interface SectionProps {
  readonly section: DocumentSection;
  readonly definitions: string;
  readonly isPointedOut: boolean;
  readonly onEdit: DocumentSectionsProps["onEdit"];
}

const Section = memo(function Section({ section, definitions, isPointedOut, onEdit }: SectionProps) {
  const canEdit = onEdit !== undefined && section.level > 0;
  return (
    <div
      data-part={section.key}
      data-pointed-out={isPointedOut || undefined}
      tabIndex={-1}
      className={cn(
        "group/section relative -mx-3 scroll-mt-4 rounded-md px-3 duration-1000 motion-safe:transition-colors",
        // CSS adds the space above headings, because a section cannot know whether another section precedes it.
        section.level === 1 ? "not-first:mt-7" : section.level === 2 ? "not-first:mt-6" : "not-first:mt-4",
        isPointedOut && "bg-highlight outline outline-transparent",
      )}
    >
      <MarkdownText
        text={section.text.includes("]") ? section.text + definitions : section.text}
        variant="document"
        className={cn("max-w-[72ch]", canEdit && "[&_[data-heading]:first-child]:pe-9")}
      />
      {canEdit && (
        <Button
          variant="ghost"
          size="icon"
          title={`Edit “${section.title}”`}
          className="absolute end-1 top-0 size-7 text-muted-foreground opacity-0 group-focus-within/section:opacity-100 group-hover/section:opacity-100 focus-visible:opacity-100 pointer-coarse:opacity-100"
          onClick={() => onEdit(section)}
        >
          <PencilLine aria-hidden />
          <span className="sr-only">Edit section {section.title}</span>
        </Button>
      )}
    </div>
  );
});
