import { toJsxRuntime } from "hast-util-to-jsx-runtime";
import { Fragment, jsx, jsxs } from "react/jsx-runtime";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { parseMarkdown } from "./markdown-tree";

/** Returns the rendered pieces of the text, each with the source text at its position. */
function piecesOf(source: string): { text: string; written: string; isExact: boolean }[] {
  const markup = renderToStaticMarkup(
    toJsxRuntime(parseMarkdown(source, "document"), { Fragment, jsx, jsxs }),
  );
  const piece = /<(span|pre) data-at="(\d+)"(?: data-to="(\d+)")?>(.*?)<\/\1>/gs;
  return [...markup.matchAll(piece)].map(([, , at, to, inner = ""]) => {
    const text = inner
      .replace(/<[^>]*>/g, "")
      .replace(/&(amp|lt|gt|quot|#x27);/g, (_, name: string) => characters[name] ?? "");
    const start = Number(at);
    return {
      text,
      written: source.slice(start, Number(to ?? start + text.length)),
      isExact: to === undefined,
    };
  });
}

const characters: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#x27": "'" };

describe("[DASH-278] what is laid out knows where it is written", () => {
  it.each([
    ["emphasis, links and code", "Ti*tl*e with [a li**n**k](https://a.example) and `co de` or ``x ` y``"],
    ["escapes and what is none", "A \\* b, C:\\new and \\\\ two"],
    ["soft and hard breaks", "one\ntwo  \nthree\\\nfour"],
    ["addresses that are links", "see www.example.com and <https://b.example> or me@c.example"],
    ["HTML, which is text", "<b>bold</b> and <!-- not shown -->"],
    ["headings of both forms", "Above\n=====\n\n## Below ##\n"],
    ["tables", "| a | b \\| c |\n|--|--|\n| 1 | 2 |\n"],
    ["tasks", "- [ ] to do\n- [x] done\n"],
    ["fenced code", "```ts\nconst a = 1;\n```\n\nand `a`\n"],
    ["several units for one character", "a 👩‍👩‍👧 family, שלום and more 👍"],
  ])("[DASH-278] character by character: %s", (_, source) => {
    const pieces = piecesOf(source);
    expect(pieces.length).toBeGreaterThan(0);
    for (const { text, written } of pieces) expect(text.replace(/\n$/, "")).toBe(written.replace(/\n$/, ""));
  });

  it.each([
    ["a spelled character", "fish &amp; chips", "&", "&amp;"],
    ["a break in a quote", "> one\n> two", "\n", "\n> "],
    ["code in a list", "- a\n\n  ```\n  x\n  y\n  ```\n", "x\ny\n", "```\n  x\n  y\n  ```"],
    ["a footnote, which a way back stands behind", "a[^1]\n\n[^1]: note\n", "note ", "note"],
    ["a hidden character", "so\u202Efar", "soU+202Efar", "so\u202Efar"],
  ])("[DASH-278] as a whole, where not: %s", (_, source, text, written) => {
    expect(piecesOf(source)).toContainEqual({ text, written, isExact: false });
  });
});
