import { extractHeadingText, scanMarkdown } from "@merkle/wire/document";
import { describe, expect, it } from "vitest";
import { replaceConclusion } from "./conclusion-section.js";
import { findSection, listHeadings } from "./sections.js";

function findBlocks(content: string): string[] {
  const headings: string[] = [];
  scanMarkdown(content, (heading) =>
    headings.push(`${heading.level} ${extractHeadingText(content, heading)}`),
  );
  return headings;
}

describe("headings", () => {
  it.each([
    ["## A\n### B ###\n# C #", ["2 A", "3 B", "1 C"]],
    ["   ## indented by three\n    ## code", ["2 indented by three"]],
    ["##no space\n####### seven\n#\tTab", ["1 Tab"]],
    ["A\n---\nB\n===\n", ["2 A", "1 B"]],
    ["one\ntwo\n---", ["2 one\ntwo"]],
    ["text\n\n---\n", []],
    ["## A\r\ntext\r\n## B\r\n", ["2 A", "2 B"]],
    ["## A\r## B", ["2 A", "2 B"]],
    ["## C# and F#", ["2 C# and F#"]],
    ["##\n## ##", ["2 ", "2 "]],
  ])("[SES-12] both forms are headings: %j", (content, headings) => {
    expect(findBlocks(content)).toEqual(headings);
  });

  it.each([
    "```\n## A\n```",
    "~~~~ md\n~~~\n## A\n~~~~~",
    "```\n## A\n~~~\n## B",
    "``` `\n``` a\n## A",
    "\t## A",
    "text\n    ## A\n",
    "<!--\n\n## A\n-->",
    "<pre>\n\n## A\n\n</PRE>",
    "<script>\n\n## A\n",
    "<div>\n## A",
    "<my-tag a='1' b>\n## A",
    "<?php\n\n## A\n?>",
    "<![CDATA[\n\n## A\n]]>",
  ])("[SES-12] what stands in a code or HTML block is no heading: %j", (content) => {
    expect(findBlocks(content)).toEqual([]);
  });

  it.each([
    "> ## A",
    "> text\nA\n---",
    "> ```\n> ## A",
    "- ## A",
    "- item\n\n  ## A",
    "- ```\n  ## A\n  ```",
    "1. step\n   ```sh\n   ## A\n   ```",
    "10. step\n\n    ## A",
    "- > text\nA\n---",
    "-\n  ## A",
  ])("[SES-12] what stands in a block quote or a list item is no heading of the document: %j", (content) => {
    expect(findBlocks(content)).toEqual([]);
  });

  it.each([
    "> text\n## A",
    "> ```\n## A",
    "- ```\n## A",
    "> - ```\n> text\n\n## A",
    "- item\n## A",
    "-\n\n  ## A",
    "```\n```\n## A",
    "``` a ` b\n## A",
    "<div>\n\n## A",
    "text\n<my-tag>\n## A",
    "<!-- one line -->\n## A",
    "1. one\n\n## A",
    "* * *\n## A",
    "text\n2. no list\n## A",
  ])("[SES-12] a heading follows what has ended: %j", (content) => {
    expect(findBlocks(content)).toEqual(["2 A"]);
  });
});

describe("cost", () => {
  const adversarial: Record<string, (length: number) => string> = {
    "one run of backticks": (n) => "`".repeat(n),
    "lines of backticks": (n) => "```\n".repeat(n / 4),
    "growing fences": (n) => repeatUntil(n, (i) => `${"`".repeat(3 + (i % 500))}\n`),
    "angle brackets": (n) => "<".repeat(n),
    "lines of tags": (n) => "<a b='\n".repeat(n / 7),
    "a tag of many attributes": (n) => `<a${" b=c".repeat(n / 4)}`,
    "a tag of many spaces": (n) => `<a${" ".repeat(n)}<`,
    "open comments": (n) => "<!--\n".repeat(n / 5),
    "number signs": (n) => "#".repeat(n),
    "closing number signs": (n) => `## ${"# ".repeat(n / 2)}x`,
    "empty headings": (n) => "#\n".repeat(n / 2),
    "deep quotes": (n) => ">".repeat(n),
    "lines of deep quotes": (n) => `${">".repeat(999)}\n`.repeat(n / 1000),
    "deep lists and blank lines": (n) => "- ".repeat(999) + "\n".repeat(n - 1998),
    "deep lists in a quote": (n) => `> ${"- ".repeat(999)}\n${">\n".repeat(n / 2 - 1000)}`,
    "almost breaks": (n) => `${"- ".repeat(n / 2)}x`,
    "setext candidates": (n) => "a\n-\n".repeat(n / 4),
    "one long paragraph": (n) => `${"a\n".repeat(n / 2)}---`,
    "Conclusion headings": (n) => "## Conclusion\n\n".repeat(n / 15),
    "marked up headings": (n) => "## [*a*](\n".repeat(n / 10),
    "blank lines": (n) => " \n".repeat(n / 2),
  };
  const large = 128 * 1024;
  const parts = 8;

  it.each(Object.entries(adversarial))(
    "[SES-12] grows with the length, not its square: %s",
    (_name, text) => {
      const whole = text(large);
      const part = text(large / parts);
      const cost = () => ({
        whole: cpuTime(() => useAll(whole)),
        parts: cpuTime(() => {
          for (let i = 0; i < parts; i++) useAll(part);
        }),
      });
      cost();
      const costs = [cost(), cost(), cost()];
      const least = (of: "whole" | "parts") => Math.min(...costs.map((one) => one[of]));
      // If the work is linear, one piece takes as long as eight parts. If it is quadratic, one piece takes
      // eight times as long. The 2 ms allow for the clock's resolution.
      expect(least("whole")).toBeLessThan(4 * least("parts") + 2000);
    },
  );
});

function useAll(content: string): void {
  const { conclusion } = replaceConclusion(content, null, content);
  replaceConclusion(content, conclusion.slice(0, conclusion.length / 2), "Done.");
  findSection(content, "Conclusion");
  listHeadings(content);
}

function repeatUntil(length: number, line: (index: number) => string): string {
  const lines: string[] = [];
  for (let total = 0; total < length; total += lines.at(-1)?.length ?? 0) lines.push(line(lines.length));
  return lines.join("");
}

/** Measures the processor time of this process, which is not affected by other processes. */
function cpuTime(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
