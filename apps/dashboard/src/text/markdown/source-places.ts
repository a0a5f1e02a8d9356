import type { Element, ElementContent, Root, RootContent } from "hast";
import { type AlignedPart, alignCodeBlock, alignInlineCode, alignText, type Stretch } from "./align-text";
import { readText } from "./harmless-tree";
import { splitHidden } from "./hidden-characters";

/**
 * A rehype plugin that wraps each piece of text in an element with its source position, so that a selection can be mapped to the
 * source. `data-at` is the offset of the first character. With `data-to`, the piece maps to the whole range and offsets inside it
 * are unknown. Generated text has neither.
 */
export function sourcePlaces() {
  return (tree: Root, file: { readonly value: unknown }): void => {
    tree.children = place(tree.children, String(file.value), alignText);
  };
}

type Align = (text: string, source: string, within: Stretch) => readonly AlignedPart[];

function place(children: readonly RootContent[], source: string, align: Align): ElementContent[] {
  return children.flatMap((child): ElementContent[] => {
    const stretch = findStretch(child);
    if (child.type === "text" || child.type === "raw") {
      if (stretch === null) return [child];
      // A hidden character is shown as its code point, which is longer than the character itself.
      if (splitHidden(child.value).some(({ hidden }) => hidden !== undefined)) {
        return [toElement(child.value, { dataAt: stretch.start, dataTo: stretch.end })];
      }
      return align(child.value, source, stretch).map((part) => toElement(part.text, toProperties(part)));
    }
    if (child.type !== "element") return [];
    if (child.tagName === "pre") return [placeCode(child, source)];
    const inner = child.tagName === "code" ? alignInlineCode : align;
    return [{ ...child, children: place(child.children, source, inner) }];
  });
}

/** Adds the source position to a code block as a whole, because code blocks are rendered from their text only. */
function placeCode(pre: Element, source: string): Element {
  const stretch = findStretch(pre);
  if (stretch === null) return pre;
  const part = alignCodeBlock(readText(pre).replace(/\n$/, ""), source, stretch);
  return { ...pre, properties: { ...pre.properties, ...toProperties(part) } };
}

function toElement(text: string, properties: Element["properties"]): ElementContent {
  return { type: "element", tagName: "span", properties, children: [{ type: "text", value: text }] };
}

function toProperties({ text, start, end }: AlignedPart): Element["properties"] {
  return { dataAt: start, ...(end - start === text.length ? {} : { dataTo: end }) };
}

function findStretch({ position }: RootContent): Stretch | null {
  const start = position?.start.offset;
  const end = position?.end.offset;
  return start === undefined || end === undefined ? null : { start, end };
}
