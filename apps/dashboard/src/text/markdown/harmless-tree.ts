import type { Element, ElementContent, Root, RootContent } from "hast";
import { splitHidden } from "./hidden-characters";
import { readWebAddress } from "./web-address";

const depthMax = 40;
/** The properties that elements keep. Other properties could make a message look like part of the page. */
const allowedProperties: Record<string, readonly string[]> = {
  a: ["href"],
  code: ["className"],
  img: ["src", "alt"],
  input: ["type", "checked", "disabled"],
  ol: ["start"],
  pre: ["dataAt", "dataTo"],
  span: ["dataAt", "dataTo"],
  td: ["align"],
  th: ["align"],
  li: ["className"],
};

/** Properties that contain URLs. */
const addresses = ["href", "src"];

/**
 * A rehype plugin that removes everything that could affect the page around the text. It drops ids and other properties, so that
 * messages cannot clash with each other or the page. It makes hidden characters visible and limits nesting.
 */
export function harmlessTree() {
  return (tree: Root): void => {
    tree.children = cleanNodes(tree.children, 0);
  };
}

function cleanNodes(children: readonly RootContent[], depth: number): ElementContent[] {
  return children.flatMap((child): ElementContent[] => {
    if (child.type === "text" || child.type === "raw") return toText(child.value);
    if (child.type !== "element") return [];
    if (depth >= depthMax) return toText(readText(child));
    return [
      { ...child, properties: selectProperties(child), children: cleanNodes(child.children, depth + 1) },
    ];
  });
}

function selectProperties({ tagName, properties }: Element): Element["properties"] {
  const allowedNames = allowedProperties[tagName] ?? [];
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => allowedNames.includes(name))
      .map(([name, value]) => [name, addresses.includes(name) ? readWebAddress(String(value))?.href : value]),
  );
}

function toText(value: string): ElementContent[] {
  return splitHidden(value).map(({ text, hidden }) =>
    hidden === undefined
      ? { type: "text", value: text }
      : {
          type: "element",
          tagName: "abbr",
          properties: { title: `Hidden character ${hidden}` },
          children: [{ type: "text", value: hidden }],
        },
  );
}

/** Iterative instead of recursive, because the nesting can be arbitrarily deep. */
export function readText(element: Element): string {
  const open: ElementContent[] = [element];
  let text = "";
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.type === "text" || node.type === "raw") text += node.value;
    else if (node.type === "element") open.push(...node.children.toReversed());
  }
  return text;
}
