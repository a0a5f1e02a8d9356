import { showHidden } from "@/text/markdown/hidden-characters";

/** The commented passage. A long passage is cut off only by CSS, so screen readers get all of it. */
export function QuoteText({ text }: { readonly text: string }) {
  return (
    <blockquote
      dir="auto"
      className="line-clamp-3 border-s-2 border-warning ps-2 text-sm break-words whitespace-pre-wrap text-muted-foreground"
    >
      {showHidden(text)}
    </blockquote>
  );
}
