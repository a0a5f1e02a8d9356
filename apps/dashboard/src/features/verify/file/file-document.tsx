import { MarkdownText } from "@/text/markdown/markdown-text";

/** The document as of the time of the export. */
export function FileDocument({ text }: { readonly text: string }) {
  return <MarkdownText text={text} variant="document" className="max-w-[72ch]" />;
}
