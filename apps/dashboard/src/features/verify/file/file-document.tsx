import { MarkdownText } from "@/text/markdown/markdown-text";

/** The document as it was when the record was written out. */
export function FileDocument({ text }: { readonly text: string }) {
  return <MarkdownText text={text} variant="document" className="max-w-[72ch]" />;
}
