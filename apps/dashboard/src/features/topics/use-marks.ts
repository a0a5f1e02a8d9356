import { useEffect } from "react";

/** Names of the highlights that globals.css styles. */
export type MarkName = "topics" | "topic-shown" | "topic-draft";

/**
 * Highlights ranges of the page with the CSS Custom Highlight API, which does not change the DOM. In browsers without it there
 * are no highlights, but the cards next to the text still show the comments.
 */
export function useMarks(name: MarkName, ranges: readonly Range[]): void {
  useEffect(() => {
    if (!("highlights" in CSS)) return;
    if (ranges.length === 0) return;
    CSS.highlights.set(name, new Highlight(...ranges));
    return () => void CSS.highlights.delete(name);
  }, [name, ranges]);
}
