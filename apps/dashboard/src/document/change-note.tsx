import { ArrowDown, X } from "lucide-react";
import { Button } from "@/ui/button";

export interface ChangeNoteProps {
  readonly writtenBy: string;
  readonly version: number;
  /** The version shown before the change. */
  readonly since: number;
  /** Titles of the sections that changed. */
  readonly sections: readonly string[];
  readonly onShow: () => void;
  readonly onDismiss: () => void;
}

/**
 * Notes that the document changed while it was being read, with a button to show the change. The note is sticky at the
 * bottom of the view, so the text above does not move when the note appears or disappears.
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
