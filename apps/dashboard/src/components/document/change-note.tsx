import { ArrowDown, X } from "lucide-react";
import { Button } from "@/components/ui/button";

export interface ChangeNoteProps {
  readonly writtenBy: string;
  readonly version: number;
  /** The version that was looked at before. */
  readonly since: number;
  /** The titles of the sections that changed. */
  readonly sections: readonly string[];
  readonly onShow: () => void;
  readonly onDismiss: () => void;
}

/** Says that the document changed under its reader, and leads there when asked to: it never moves by itself. */
export function ChangeNote({ writtenBy, version, since, sections, onShow, onDismiss }: ChangeNoteProps) {
  return (
    <div className="sticky top-0 z-10 -mx-1 mb-3 flex items-center gap-2 rounded-md border bg-surface px-3 py-1 text-sm">
      <p role="status" className="min-w-0 flex-1 truncate">
        <bdi className="font-medium">{writtenBy}</bdi> changed{" "}
        {sections.length > 0 ? <bdi>{listTitles(sections)}</bdi> : "the document by cutting from it"}
        <span className="text-muted-foreground tabular-nums">
          {" "}
          · v{version}
          {version - since > 1 && `, ${version - since} versions since you looked`}
        </span>
      </p>
      {sections.length > 0 && (
        <Button variant="ghost" size="sm" onClick={onShow}>
          <ArrowDown aria-hidden /> Show
        </Button>
      )}
      <Button variant="ghost" size="icon" className="size-7" onClick={onDismiss}>
        <X aria-hidden />
        <span className="sr-only">Dismiss</span>
      </Button>
    </div>
  );
}

function listTitles(titles: readonly string[]): string {
  const [first = "", ...others] = titles.map((title) => (title === "" ? "the beginning" : title));
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}
