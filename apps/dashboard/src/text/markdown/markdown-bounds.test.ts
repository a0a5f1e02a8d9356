import { expect, it } from "vitest";
import { isMarkdownRenderable, markdownCharsMax } from "./markdown-bounds";

it("[DASH-54] texts that a parser would need long for are shown as they were written", () => {
  const hostile = [
    "x".repeat(markdownCharsMax + 1),
    ">".repeat(5_000),
    "- ".repeat(5_000),
    "> - ".repeat(200),
    "[".repeat(5_000),
    "![](".repeat(2_000).replaceAll("]", ""),
    "www.a_".repeat(2_000),
    "http://a.".repeat(2_000),
  ];
  for (const text of hostile) expect(isMarkdownRenderable(text), text.slice(0, 20)).toBe(false);
});

it("[DASH-54] long texts written for readers are laid out", () => {
  const friendly = [
    "A sentence with a [link](https://example.org/path). ".repeat(500),
    "- [ ] a task\n".repeat(1_500),
    "> quoted\n>> twice\n".repeat(500),
    `\`\`\`\n${"AAAA".repeat(2_000)}\n\`\`\``,
  ];
  for (const text of friendly) expect(isMarkdownRenderable(text), text.slice(0, 20)).toBe(true);
});
