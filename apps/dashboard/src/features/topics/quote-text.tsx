import { showHidden } from "@/text/markdown/hidden-characters";

/** The passage that a comment is about, as it is written; a long one is cut for the eye alone. */
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
