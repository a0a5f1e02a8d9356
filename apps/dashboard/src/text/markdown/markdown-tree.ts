import type { Root } from "hast";
import remarkGfm from "remark-gfm";
import remarkParse from "remark-parse";
import remarkRehype from "remark-rehype";
import { unified } from "unified";
import { harmlessTree } from "./harmless-tree";
import { sourcePlaces } from "./source-places";

/** `feed`: of messages. `document`: of what is commented on, so each piece of it says where it is written. */
export type MarkdownVariant = "feed" | "document";

/** Reads a text as markdown. Raw HTML in it is text, and nothing in the tree can act on the page around it. */
export function readMarkdown(text: string, variant: MarkdownVariant): Root {
  const reader = readers[variant];
  return reader.runSync(reader.parse(text), text);
}

/** Made once: to put one together takes as long as to read a short text. */
const readers = {
  feed: startReader().use(harmlessTree).freeze(),
  document: startReader().use(sourcePlaces).use(harmlessTree).freeze(),
};

function startReader() {
  return unified().use(remarkParse).use(remarkGfm).use(remarkRehype, { allowDangerousHtml: true });
}

/**
 * Whether a text is one line of words and stops, which means the same in markdown: most of what is said in passing is so.
 * Beside it, reading markdown takes a hundred times as long.
 */
export function isPlainLine(text: string): boolean {
  return plainLine.test(text);
}

const plainLine =
  /^(?!\d+[.)])(?!.*www\.)[\p{L}\p{N}](?:[\p{L}\p{N} ,;:.?'"()%=-]*[\p{L}\p{N},;:.?'"()%=-])?$/iu;
