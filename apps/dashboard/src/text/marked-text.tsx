import { splitMarks } from "./split-marks";

/** Text with highlighted matches. It is never parsed as markup. */
export function MarkedText({ text }: { readonly text: string }) {
  return splitMarks(text).map((piece, index) =>
    piece.isMatch ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: only their positions identify the pieces of a text.
      <mark key={index} className="rounded-xs bg-highlight text-foreground">
        {piece.text}
      </mark>
    ) : (
      piece.text
    ),
  );
}
