import type { DocumentSection } from "@/text/split-sections";

export interface DocumentOutlineProps {
  readonly sections: readonly DocumentSection[];
  readonly onGo: (key: string) => void;
}

/** The headings of the document, as a list of links. */
export function DocumentOutline({ sections, onGo }: DocumentOutlineProps) {
  const headings = sections.filter(({ title }) => title !== "");
  if (headings.length === 0) return <p className="p-3 text-sm text-muted-foreground">No headings yet.</p>;
  const top = Math.min(...headings.map(({ level }) => level));
  return (
    <nav aria-label="Outline">
      <ol className="grid gap-px p-1">
        {headings.map(({ key, level, title }) => (
          <li key={key}>
            <button
              type="button"
              dir="auto"
              onClick={() => onGo(key)}
              style={{ paddingInlineStart: `${0.5 + (level - top) * 0.75}rem` }}
              className="block min-h-7 w-full truncate rounded-md pe-2 text-start text-sm hover:bg-raised pointer-coarse:min-h-11"
              title={title}
            >
              {title}
            </button>
          </li>
        ))}
      </ol>
    </nav>
  );
}
