import { expect, it } from "vitest";
import { renderMarkdown } from "./render-markdown.js";

const style = {
  bullet: "•",
  bold: (text: string) => `<b>${text}</b>`,
  code: (text: string) => `<c>${text}</c>`,
  dim: (text: string) => `<d>${text}</d>`,
};

it.each([
  ["plain text, and 2 * 3 * 4", "plain text, and 2 * 3 * 4"],
  ["# Title", "<b>Title</b>"],
  ["### With `code` ##", "<b>With <c>code</c></b>"],
  ["#405 is no heading", "#405 is no heading"],
  ["- one\n  * two\n1. three", "• one\n  • two\n1. three"],
  ["---", "---"],
  ["* * *", "* * *"],
  ["a **bold word**, and **another**.", "a <b>bold word</b>, and <b>another</b>."],
  ["**with `code`**", "<b>with <c>code</c></b>"],
  ["claims src/auth/** and lib/** too", "claims src/auth/** and lib/** too"],
  ["**/*.ts and **/*.js", "**/*.ts and **/*.js"],
  ["call __init__ or a_b_c", "call __init__ or a_b_c"],
  ["`` a ` b `` and `**x**`", "<c>a ` b</c> and <c>**x**</c>"],
  ["one ` tick", "one ` tick"],
  ["see [the docs](https://example.com/a)", "see the docs <d>(https://example.com/a)</d>"],
  ["[https://good.example](https://evil.example)", "https://good.example <d>(https://evil.example)</d>"],
  ["![plan](https://example.com/p.png)", "plan <d>(https://example.com/p.png)</d>"],
  ["[https://a.example](https://a.example)", "https://a.example"],
  ["\\*not a list\\* and C:\\new", "*not a list* and C:\\new"],
  ["> quoted **text**", "<d>></d> quoted <b>text</b>"],
  ["```ts\nconst a = **1**;\n\n# x\n```\nafter", "<c>  const a = **1**;</c>\n\n<c>  # x</c>\nafter"],
  ["~~~\nopen to the end", "<c>  open to the end</c>"],
  ["", ""],
])("[CLI-170] %j is rendered for a terminal", (source, rendered) => {
  expect(renderMarkdown(source, style)).toBe(rendered);
});

it("[CLI-170] a very long line stays as it was written", () => {
  const long = "**a ".repeat(20_000);
  expect(renderMarkdown(`${long}\n**b**`, style)).toBe(`${long}\n<b>b</b>`);
});
