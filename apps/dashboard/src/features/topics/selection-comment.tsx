"use client";

import { MessageSquarePlus } from "lucide-react";
import { type RefObject, useEffect, useMemo, useRef, useState } from "react";
import { AnchoredPopover } from "@/components/anchored-popover";
import { useShortcut } from "@/core/keyboard/use-shortcut";
import type { ShownText } from "@/parts/feature";
import type { Revision } from "@/sessions/source";
import type { PagePlaces } from "@/text/anchors/page-places";
import { type SourceQuote, toQuote } from "@/text/anchors/quote";
import { Button } from "@/ui/button";
import { NewTopicForm } from "./new-topic-form";
import { useMarks } from "./use-marks";
import { useTextSelection } from "./use-text-selection";

export interface SelectionCommentProps {
  readonly text: ShownText;
  /** The element that contains the rendered text. */
  readonly root: RefObject<HTMLElement | null>;
  readonly places: PagePlaces | null;
}

/** A comment being written, and the passage that it is about. */
interface StartedComment {
  readonly revision: Revision;
  readonly quote: SourceQuote;
  readonly isWidened: boolean;
  readonly range: Range;
  readonly at: ButtonPosition;
}

interface ButtonPosition {
  readonly top: number;
  readonly left: number;
}

const noRanges: readonly Range[] = [];

/** A button next to the selection, to comment on it. */
export function SelectionComment({ text, root, places }: SelectionCommentProps) {
  const selection = useTextSelection(root, places);
  const [comment, setComment] = useState<StartedComment | null>(null);
  const [button, setButton] = useState<HTMLButtonElement | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<ButtonPosition | null>(null);

  useEffect(() => {
    setAt(selection && box.current ? placeBelow(selection.range, box.current) : null);
  }, [selection]);

  function startComment(): boolean {
    const quote = selection && toQuote(text.content, selection.sourceRange);
    if (!selection || !quote || !at) return false;
    const { isWidened } = selection.sourceRange;
    setComment({ revision: text.revision, quote, isWidened, range: selection.range, at });
    return true;
  }
  // Without a selection, the key falls through to the shortcut that writes a message.
  useShortcut("c", startComment, { label: "Comment on selection", group: "Document" });
  useMarks(
    "topic-draft",
    useMemo(() => (comment ? [comment.range] : noRanges), [comment]),
  );

  const place = comment?.at ?? at;
  return (
    <div ref={box} className="pointer-events-none absolute inset-0">
      {place && (
        <Button
          ref={setButton}
          variant="outline"
          size="sm"
          title="Comment on selection  c"
          aria-haspopup="dialog"
          aria-expanded={comment !== null}
          className="pointer-events-auto absolute z-10 border-input shadow-md"
          style={place}
          // Prevents the click from clearing the selection.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => (comment ? setComment(null) : startComment())}
        >
          <MessageSquarePlus aria-hidden /> Comment
        </Button>
      )}
      {comment && button && (
        <AnchoredPopover
          label="Comment on selection"
          anchor={button}
          onClose={() => setComment(null)}
          className="w-96"
        >
          <NewTopicForm
            revision={comment.revision}
            quote={comment.quote}
            isWidened={comment.isWidened}
            onDone={() => {
              setComment(null);
              document.getSelection()?.removeAllRanges();
            }}
            onCancel={() => setComment(null)}
          />
        </AnchoredPopover>
      )}
    </div>
  );
}

const buttonWidthPx = 110;

/** Returns the position below the end of the selection, clamped to the box's width. */
function placeBelow(range: Range, box: HTMLElement): ButtonPosition {
  const last = [...range.getClientRects()].at(-1) ?? range.getBoundingClientRect();
  const { top, left, width } = box.getBoundingClientRect();
  return {
    top: last.bottom - top + 6,
    left: Math.max(4, Math.min(last.right - left - buttonWidthPx / 2, width - buttonWidthPx - 4)),
  };
}
