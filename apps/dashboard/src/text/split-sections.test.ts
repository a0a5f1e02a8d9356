import * as fc from "fast-check";
import { expect, it } from "vitest";
import { extractLinkDefinitions, findChangedSections, splitSections } from "./split-sections";

const titles = (content: string) => splitSections(content).map(({ level, title }) => [level, title]);

it("[DASH-110] a document is cut at its headings, of both forms", () => {
  expect(titles("Above\n\n# One #\ntext\n## `Two` and [three](x)\n\nFour\n====\nFive _x_\n---\n")).toEqual([
    [0, ""],
    [1, "One"],
    [2, "Two and three"],
    [1, "Four"],
    [2, "Five x"],
  ]);
  expect(titles("# A\r\nb\r\n\r\nC d\r\n---\r\n")).toEqual([
    [1, "A"],
    [2, "C d"],
  ]);
});

it.each([
  "```md\n# no\n```\n",
  "~~~\n# no\n```\n# no\n~~~~\n",
  "- ```\n  # no\n  ```\n",
  "<!--\n# no\n\n# no\n-->\n",
  "#hash\n",
  "####### seven\n",
  "    # code\n",
  "> # quoted\n",
  "- item\n---\n",
  "text\n\n---\n",
])("[DASH-110] %j holds no heading", (content) => {
  expect(titles(`# A\n${content}# B\n`)).toEqual([
    [1, "A"],
    [1, "B"],
  ]);
});

it("[DASH-110] the sections joined are the document, and their keys differ, whatever it holds", () => {
  const line = fc.constantFrom(
    "# A",
    "## B",
    "",
    "text",
    "===",
    "---",
    "```",
    "~~~",
    "<!--",
    "-->",
    "- x",
    "\r",
    "😀",
  );
  return fc.assert(
    fc.property(fc.array(line, { maxLength: 30 }), fc.constantFrom("", "\n"), (lines, end) => {
      const content = lines.join("\n") + end;
      const sections = splitSections(content);
      expect(sections.map(({ text }) => text).join("")).toBe(content);
      expect(new Set(sections.map(({ key }) => key)).size).toBe(sections.length);
    }),
    { numRuns: 300 },
  );
});

it("[DASH-111] only the sections that read otherwise than before count as changed", () => {
  const before = splitSections("# A\none\n## B\ntwo\n## C\nthree");
  const after = splitSections("# A\none\n## B\ntwo, changed\n## C\nthree\n## D\nfour\n");
  expect([...findChangedSections(before, after)]).toEqual(["2 B 0", "2 D 0"]);
  expect(findChangedSections(before, before).size).toBe(0);
});

it("[DASH-110] link definitions are found wherever they stand, footnotes left out", () => {
  expect(
    extractLinkDefinitions("[a]\n\n[a]: https://a.example\n[^1]: note\n# B\n[b]: <https://b.example> 'B'\n"),
  ).toBe("\n\n[a]: https://a.example\n[b]: <https://b.example> 'B'");
  expect(extractLinkDefinitions("nothing")).toBe("");
});
