import { expect, it } from "vitest";
import { findSection, listHeadings } from "./sections.js";

const doc =
  "# Doc\n\nintro\n\n## Decisions\r\n\nUse `tar`.\n\n### Why\n\nsmall\n\n## Open *questions*:\n\n```\n## Decisions\n```\n";

it("[DOC-7] a section is its heading and what is below it, up to the next of its level or higher", () => {
  expect(findSection(doc, "Decisions")).toEqual({
    text: "## Decisions\r\n\nUse `tar`.\n\n### Why\n\nsmall\n\n",
  });
  expect(findSection(doc, "Why")).toEqual({ text: "### Why\n\nsmall\n\n" });
  expect(findSection(doc, "Doc")).toEqual({ text: doc });
});

it.each(["decisions", "## Decisions", "  DECISIONS ", "**Decisions:**"])(
  "[DOC-7] is found as %j",
  (heading) => {
    expect(findSection(doc, heading)?.text).toMatch(/^## Decisions/);
  },
);

it("[DOC-7] inline markup in the heading does not matter", () => {
  expect(findSection(doc, "open questions")?.text).toMatch(/^## Open/);
  expect(findSection("## See [the *plan*](https://example.org/a_b) \\*\n", "See the plan")).not.toBeNull();
  expect(findSection("## snake_case\n", "snake_case")).not.toBeNull();
});

it("[DOC-7] number signs prefer a level; without them the first heading is taken", () => {
  const twice = "### Plan\na\n## Plan\nb\n";
  expect(findSection(twice, "## Plan")).toEqual({ text: "## Plan\nb\n" });
  expect(findSection(twice, "Plan")).toEqual({ text: "### Plan\na\n" });
  expect(findSection(twice, "# Plan")).toEqual({ text: "### Plan\na\n" });
  expect(findSection("## #1 issue\n", "#1 issue")).toEqual({ text: "## #1 issue\n" });
});

it.each(["Nope", "", " ", "##", "tar", "Decision"])("[DOC-7] there is no section %j", (heading) => {
  expect(findSection(`${doc}##\n`, heading)).toBeNull();
});

it("[DOC-7] the headings are listed as they can be asked for", () => {
  expect(listHeadings(`${doc}two\nlines\n---\n##\n`)).toEqual([
    "# Doc",
    "## Decisions",
    "### Why",
    "## Open *questions*:",
    "## two lines",
  ]);
  expect(listHeadings("# a\n".repeat(100))).toHaveLength(50);
  expect(listHeadings(`# ${"a".repeat(1000)}`)[0]).toHaveLength(202);
});
