import { chooseMarkdownLayout, type TextLayout } from "@/document/part-starts";
import { highlightedCharsMax } from "@/text/markdown/code-block";

const codeExtensions: ReadonlySet<string> = new Set(
  "ts tsx js jsx mjs cjs json jsonc sh bash zsh py sql diff patch yaml yml go rs".split(" "),
);

/** Selects how a file is rendered: markdown as formatted text, code with syntax colours, anything else as plain text. */
export function chooseFileLayout(path: string, text: string): TextLayout {
  const extension = findExtension(path);
  if (isMarkdown(path)) return chooseMarkdownLayout(text);
  return codeExtensions.has(extension) && text.length <= highlightedCharsMax ? "code" : "lines";
}

export function isMarkdown(path: string): boolean {
  return /^(?:md|markdown)$/.test(findExtension(path));
}

export function findExtension(path: string): string {
  return /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
}
