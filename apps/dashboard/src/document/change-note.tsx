import { ArrowDown, X } from "lucide-react";
import { Button } from "@/ui/button";

export interface ChangeNoteProps {
  readonly writtenBy: string;
  readonly version: number;
  /** The version that was shown before. */
  readonly since: number;
  /** The titles of the sections that changed. */
  readonly sections: readonly string[];
  readonly onShow: () => void;
  readonly onDismiss: () => void;
}

/**
 * Says that the document changed under its reader, and leads there when asked to. It stands at the end of the document and
 * sticks to the bottom of what is in view, so that nothing above it moves when it comes and goes.
 */
export function ChangeNote({ writtenBy, version, since, sections, onShow, onDismiss }: ChangeNoteProps) {
  return (
    <div className="sticky bottom-2 z-10 mx-auto mt-4 flex w-fit max-w-full items-center gap-2 rounded-lg border bg-background ps-3 pe-1 py-1 text-sm shadow-md">
      <p role="status" className="min-w-0 flex-1 truncate">
        <bdi className="font-medium">{writtenBy}</bdi>{" "}
        {sections.length > 0 ? (
          <>
            {" "}
            changed <bdi>{listTitles(sections)}</bdi>
          </>
        ) : (
          " removed text"
        )}
        <span className="text-muted-foreground tabular-nums">
          {" "}
          · v{version}
          {version - since > 1 && `, ${version - since} new versions`}
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
