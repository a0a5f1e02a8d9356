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
  /** The keys of sections that are pointed out for a moment. */
  readonly pointedOut: ReadonlySet<string>;
  /** Begins to edit a section in place; absent where nothing can be edited. */
  readonly onEdit?: ((section: DocumentSection) => void) | undefined;
  /** The editor in place of the section with this key, or above all sections if that section is gone. */
  readonly editor: { readonly key: string; readonly face: ReactNode } | null;
}

/** The document, laid out section by section. Unchanged sections are not laid out again. */
export function DocumentSections({
  sections,
  definitions,
  pointedOut,
  onEdit,
  editor,
}: DocumentSectionsProps) {
  const isThere = sections.some(({ key }) => key === editor?.key);
  return (
    <>
      {editor && !isThere && <EditedSection editor={editor} />}
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

/** Its place is empty while it loads, so that the page moves only once. */
function EditedSection({ editor }: { editor: NonNullable<DocumentSectionsProps["editor"]> }) {
  return (
    <div data-part={editor.key} className="my-4 max-w-[72ch]">
      {editor.face}
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
        // A section's first heading does not know whether another section is above it.
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
