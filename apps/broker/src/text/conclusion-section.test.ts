import { extractHeadingText, type Heading, scanMarkdown } from "@merkle/wire/document";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { replaceConclusion } from "./conclusion-section.js";

const conclude = (content: string, summary: string, remembered: string | null = null) =>
  replaceConclusion(content, remembered, summary).content;

function headingsOf(content: string): (Heading & { text: string })[] {
  const headings: (Heading & { text: string })[] = [];
  scanMarkdown(content, (heading) =>
    headings.push({ ...heading, text: extractHeadingText(content, heading) }),
  );
  return headings;
}

describe("where there is none", () => {
  it.each([
    ["", "## Conclusion\n\nDone.\n"],
    ["# Doc", "# Doc\n\n## Conclusion\n\nDone.\n"],
    ["# Doc\n", "# Doc\n\n## Conclusion\n\nDone.\n"],
    ["# Doc  \n\n \n\n", "# Doc  \n\n## Conclusion\n\nDone.\n"],
    ["# Doc\r\n", "# Doc\r\n\r\n## Conclusion\r\n\r\nDone.\r\n"],
    ["# Conclusion\n\n### Conclusion", "# Conclusion\n\n### Conclusion\n\n## Conclusion\n\nDone.\n"],
    ["```\n## Conclusion\n```", "```\n## Conclusion\n```\n\n## Conclusion\n\nDone.\n"],
    ["    ## Conclusion", "    ## Conclusion\n\n## Conclusion\n\nDone.\n"],
  ])("[SES-12] the section is added at the end, after one blank line: %j", (content, concluded) => {
    expect(conclude(content, "Done.\n")).toBe(concluded);
  });

  it.each([
    ["````md\n## Conclusion\n", "````md\n## Conclusion\n````\n\n## Conclusion\n\nDone.\n"],
    ["<!-- draft\n", "<!-- draft\n-->\n\n## Conclusion\n\nDone.\n"],
    ["<pre>\n", "<pre>\n</pre>\n\n## Conclusion\n\nDone.\n"],
  ])(
    "[SES-12] a fence or HTML block left open is closed first, or the section were part of it: %j",
    (content, concluded) => {
      expect(conclude(content, "Done.")).toBe(concluded);
    },
  );
});

describe("where there is one", () => {
  it.each([
    ["## Conclusion", "## Conclusion\n\nDone.\n"],
    ["a\n\n## Conclusion\n\nold\n\n### more\nold\n\n## Next\nb", "a\n\n## Conclusion\n\nDone.\n\n## Next\nb"],
    ["a\n\nConclusion\n---\nold\n# Next\n", "a\n\n## Conclusion\n\nDone.\n\n# Next\n"],
    ["  ## CONCLUSION: ##\nold\n\n\n\nNext\n---", "## Conclusion\n\nDone.\n\n\n\nNext\n---"],
    ["## **Conclusion**\nold", "## Conclusion\n\nDone.\n"],
    ["a\r\n## Conclusion\r\nold\r\n\r\n## Next\r\n", "a\r\n## Conclusion\r\n\r\nDone.\r\n\r\n## Next\r\n"],
    ["## Conclusion\n```\n## Next\n```\n", "## Conclusion\n\nDone.\n"],
  ])("[SES-12] it is replaced up to the next heading of its level or higher: %j", (content, concluded) => {
    expect(conclude(content, "Done.")).toBe(concluded);
  });

  it("[SES-12] of several the last is replaced", () => {
    const content = "## Conclusion\n\nfirst round\n\n## Notes\n\n## Conclusion\n\nsecond\n";
    expect(conclude(content, "Done.")).toBe(
      "## Conclusion\n\nfirst round\n\n## Notes\n\n## Conclusion\n\nDone.\n",
    );
  });
});

describe("the summary", () => {
  it.each([
    "## Conclusion\n\nDone.",
    "\n \n## conclusion:\nDone.\n\n",
    "Conclusion\n---\nDone.",
    "# Conclusion\n\n## Conclusion\n\nDone.",
    "Done.\n",
  ])("[SES-13] its own heading is not doubled: %j", (summary) => {
    expect(conclude("# Doc\n", summary)).toBe("# Doc\n\n## Conclusion\n\nDone.\n");
  });

  it("[SES-13] may be blank", () => {
    expect(conclude("# Doc\n\n## Conclusion\nold\n\n## Next\n", " \n")).toBe(
      "# Doc\n\n## Conclusion\n\n## Next\n",
    );
  });

  it("keeps an indented first line, replacement patterns and inner blank lines", () => {
    expect(conclude("", "    code $& $1\n\n\n\nend")).toBe("## Conclusion\n\n    code $& $1\n\n\n\nend\n");
  });

  it("[SES-14] does not swallow what follows it", () => {
    const content = "## Conclusion\n\n  ## Next\n";
    for (const summary of ["```\nopen", "```\n``` \u00a0", "<!-- open", "- item", "> quote", "text"]) {
      const headings = headingsOf(conclude(content, summary));
      expect(headings.map(({ text }) => text)).toEqual(["Conclusion", "Next"]);
    }
  });
});

describe("again", () => {
  it("[SES-14] what the last conclude wrote is replaced whole, headings within it included", () => {
    const first = replaceConclusion(
      "# Doc\n\n## Conclusion\n\n## Next\n\nkept\n",
      null,
      "One.\n\n## Findings\n\nTwo.\n\n# Big\n",
    );
    expect(first.conclusion).toBe("## Conclusion\n\nOne.\n\n## Findings\n\nTwo.\n\n# Big");
    expect(first.content).toBe(`# Doc\n\n${first.conclusion}\n\n## Next\n\nkept\n`);
    const second = replaceConclusion(first.content, first.conclusion, "Three.");
    expect(second.content).toBe("# Doc\n\n## Conclusion\n\nThree.\n\n## Next\n\nkept\n");
  });

  it("[SES-14] a copy in a code fence is not taken for it", () => {
    const fence = "```\n## Conclusion\n\nOne.\n```\n";
    const first = replaceConclusion(fence, null, "One.");
    const second = replaceConclusion(`${first.content}\n${fence}`, first.conclusion, "Two.");
    expect(second.content).toBe(`${fence}\n## Conclusion\n\nTwo.\n\n${fence}`);
  });

  it("[SES-14] where it was edited since, the section is replaced", () => {
    const { content, conclusion } = replaceConclusion("# Doc\n", null, "One.\n\n## More\n");
    expect(conclude(content.replace("One.", "One!"), "Two.", conclusion)).toBe(
      "# Doc\n\n## Conclusion\n\nTwo.\n\n## More\n",
    );
    expect(conclude(`${content.trimEnd()} and on\n`, "Two.", conclusion)).toBe(
      "# Doc\n\n## Conclusion\n\nTwo.\n\n## More and on\n",
    );
    expect(conclude("# Doc\n", "Two.", conclusion)).toBe("# Doc\n\n## Conclusion\n\nTwo.\n");
  });
});

const line = fc.constantFrom(
  "",
  " ",
  "text",
  "  text",
  "## Conclusion",
  " ## Conclusion:",
  "Conclusion",
  "---",
  "===",
  "# Doc",
  "## Next",
  "  ## Next",
  "### Sub",
  "```",
  "~~~~",
  "- item",
  "  - ```",
  "> quote",
  "> - ~~~",
  "    code",
  "\ttab",
  "<!--",
  "-->",
  "<pre>",
  "<div>",
  "</div>",
  "1. one",
  "* * *",
);
const markdown = fc
  .tuple(fc.array(fc.tuple(line, fc.constantFrom("\n", "\n", "\r\n"))), line)
  .map(([lines, last]) => lines.map((one) => one.join("")).join("") + last);
const outside = (content: string, conclusion: string) => {
  const at = content.lastIndexOf(conclusion);
  return { before: content.slice(0, at), after: content.slice(at + conclusion.length) };
};

describe("whatever the document", () => {
  const runs = { numRuns: 2000 };

  it("[SES-12] the result has the section, found again as a heading of the document", () => {
    return fc.assert(
      fc.property(markdown, markdown, (content, summary) => {
        const result = replaceConclusion(content, null, summary);
        const headings = headingsOf(result.content);
        const sections = headings.filter(({ level, text }) => level === 2 && text === "Conclusion");
        expect(sections.some(({ start }) => result.content.startsWith(result.conclusion, start))).toBe(true);
      }),
      runs,
    );
  });

  it("[SES-14] the same summary again changes nothing", () => {
    return fc.assert(
      fc.property(markdown, markdown, (content, summary) => {
        const once = replaceConclusion(content, null, summary);
        expect(replaceConclusion(once.content, once.conclusion, summary)).toEqual(once);
      }),
      runs,
    );
  });

  it("[SES-14] the next conclude replaces exactly the last one's text", () => {
    return fc.assert(
      fc.property(markdown, markdown, markdown, (content, one, two) => {
        const first = replaceConclusion(content, null, one);
        const second = replaceConclusion(first.content, first.conclusion, two);
        // Skips documents in which a second section has the same text, because the two could not be told
        // apart.
        fc.pre(first.content.split(first.conclusion).length === 2);
        fc.pre(second.content.split(second.conclusion).length === 2);
        expect(outside(second.content, second.conclusion)).toEqual(outside(first.content, first.conclusion));
      }),
      runs,
    );
  });

  it("[SES-14] every other byte stays", () => {
    return fc.assert(
      fc.property(markdown, markdown, (content, summary) => {
        const headings = headingsOf(content);
        const last = headings.findLast(({ level, text }) => level === 2 && /^conclusion:?$/i.test(text));
        fc.pre(last !== undefined);
        const next = headings.find(({ start, level }) => start > (last?.start ?? 0) && level <= 2);
        const result = replaceConclusion(content, null, summary).content;
        expect(result.startsWith(content.slice(0, last?.start))).toBe(true);
        expect(result.endsWith(next ? content.slice(next.start) : "\n")).toBe(true);
      }),
      runs,
    );
  });
});
