import type { Element, ElementContent, Root, RootContent } from "hast";
import { type AlignedPart, alignCodeBlock, alignInlineCode, alignText, type Stretch } from "./align-text";
import { textOf } from "./harmless-tree";
import { splitHidden } from "./hidden-characters";

/**
 * A rehype plugin: puts each piece of text into an element that says where it is written, so that what is selected in the
 * page can be found in the source. `data-at` is the offset of its first character; with `data-to` the piece stands for all
 * that is written from there to here, and no part of it is known by itself. Text that nobody wrote has neither.
 */
export function sourcePlaces() {
  return (tree: Root, file: { readonly value: unknown }): void => {
    tree.children = place(tree.children, String(file.value), alignText);
  };
}

type Align = (text: string, source: string, within: Stretch) => readonly AlignedPart[];

function place(children: readonly RootContent[], source: string, align: Align): ElementContent[] {
  return children.flatMap((child): ElementContent[] => {
    const stretch = stretchOf(child);
    if (child.type === "text" || child.type === "raw") {
      if (stretch === null) return [child];
      // A hidden character is shown by its number, which takes more room than the character itself.
      if (splitHidden(child.value).some(({ hidden }) => hidden !== undefined)) {
        return [toElement(child.value, { dataAt: stretch.start, dataTo: stretch.end })];
      }
      return align(child.value, source, stretch).map((part) => toElement(part.text, propertiesOf(part)));
    }
    if (child.type !== "element") return [];
    if (child.tagName === "pre") return [placeCode(child, source)];
    const inner = child.tagName === "code" ? alignInlineCode : align;
    return [{ ...child, children: place(child.children, source, inner) }];
  });
}

/** A block of code is laid out from its text alone, and says of the whole where it is written. */
function placeCode(pre: Element, source: string): Element {
  const stretch = stretchOf(pre);
  if (stretch === null) return pre;
  const part = alignCodeBlock(textOf(pre).replace(/\n$/, ""), source, stretch);
  return { ...pre, properties: { ...pre.properties, ...propertiesOf(part) } };
}

function toElement(text: string, properties: Element["properties"]): ElementContent {
  return { type: "element", tagName: "span", properties, children: [{ type: "text", value: text }] };
}

function propertiesOf({ text, start, end }: AlignedPart): Element["properties"] {
  return { dataAt: start, ...(end - start === text.length ? {} : { dataTo: end }) };
}

function stretchOf({ position }: RootContent): Stretch | null {
  const start = position?.start.offset;
  const end = position?.end.offset;
  return start === undefined || end === undefined ? null : { start, end };
}
