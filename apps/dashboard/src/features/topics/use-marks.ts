import { useEffect } from "react";

/** The marks of a document, which globals.css gives their looks. */
export type MarkName = "topics" | "topic-shown" | "topic-draft";

/**
 * Marks stretches of the page without changing it: the browser draws them over what React laid out. One that does not know how
 * shows no marks; where a comment stands is then seen by what stands beside it.
 */
export function useMarks(name: MarkName, ranges: readonly Range[]): void {
  useEffect(() => {
    if (!("highlights" in CSS)) return;
    if (ranges.length === 0) return;
    CSS.highlights.set(name, new Highlight(...ranges));
    return () => void CSS.highlights.delete(name);
  }, [name, ranges]);
}
