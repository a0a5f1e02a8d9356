import type { Root } from "hast";
import remarkGfm from "remark-gfm";
import remarkParse from "remark-parse";
import remarkRehype from "remark-rehype";
import { unified } from "unified";
import { harmlessTree } from "./harmless-tree";
import { sourcePlaces } from "./source-places";

/** `feed`: for messages. `document`: for text that can be commented on, with the source position of each piece. */
export type MarkdownVariant = "feed" | "document";

/** Parses text as markdown. Raw HTML becomes text, and the resulting tree cannot affect the page around it. */
export function parseMarkdown(text: string, variant: MarkdownVariant): Root {
  const processor = processors[variant];
  return processor.runSync(processor.parse(text), text);
}

/** Created once, because creating a parser takes as long as parsing a short message. */
const processors = {
  feed: createProcessor().use(harmlessTree).freeze(),
  document: createProcessor().use(sourcePlaces).use(harmlessTree).freeze(),
};

function createProcessor() {
  return unified().use(remarkParse).use(remarkGfm).use(remarkRehype, { allowDangerousHtml: true });
}

/**
 * True for a single line of words and punctuation that renders as itself. Most messages are like this, and parsing them as
 * markdown would take a hundred times as long.
 */
export function isPlainLine(text: string): boolean {
  return plainLine.test(text);
}

const plainLine =
  /^(?!\d+[.)])(?!.*www\.)[\p{L}\p{N}](?:[\p{L}\p{N} ,;:.?'"()%=-]*[\p{L}\p{N},;:.?'"()%=-])?$/iu;
