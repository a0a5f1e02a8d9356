import { compactMessage, type Message } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { neutralise, parseStrictJson } from "@merkle/wire/text";
import { replaceConclusion } from "../../../apps/broker/src/text/conclusion-section.js";
import { findFirstLine } from "../../../apps/broker/src/text/find-first-line.js";
import { parseTerms } from "../../../apps/broker/src/text/parse-terms.js";
import { findSection, listHeadings, toHeadingKey } from "../../../apps/broker/src/text/sections.js";
import { isMarkdownRenderable } from "../../../apps/dashboard/src/text/markdown/markdown-bounds.js";
import { toPlainBrief } from "../../../apps/dashboard/src/text/markdown/plain-brief.js";
import { extractLinkDefinitions, splitSections } from "../../../apps/dashboard/src/text/split-sections.js";

/** `longest-texts.test.ts` runs this script in a process that can be killed. Each reader gets maximum-length input. */

const message = { sequence: 1, content: { text: "go" } } as unknown as Message;

const readers: Record<string, (text: string) => unknown> = {
  linkDefinitions: extractLinkDefinitions,
  splitSections,
  toPlainBrief,
  isMarkdownLayable: isMarkdownRenderable,
  firstLineOfText: findFirstLine,
  headingKey: toHeadingKey,
  listHeadings,
  findSection: (text) => findSection(text, "Decisions"),
  replaceConclusion: (text) => replaceConclusion(text, null, "done"),
  parseTerms,
  neutralise,
  compactMessage: (text) =>
    compactMessage({ ...message, type: "chat", to: ["*"], content: { text, options: [text] } }),
  parseStrictJson: (text) => parseStrictJson(JSON.stringify({ [text]: text })),
};

/** Parts of an input text: its beginning, a piece that is repeated up to the maximum length, and its end. */
const shapes: readonly (readonly [string, string, string])[] = [
  ["", "[\n", ""],
  ["", "[", ""],
  ["", "[]:", "]:"],
  ["", "[a\n", "]: b"],
  ["", "[](", "x"],
  ["# ", " ", "x"],
  ["# ", " #", "x"],
  ["# ", "#", "x"],
  ["- a", "\n  ", "\nx"],
  ["", "- a\n  - b\n", "x"],
  ["x", " ", "x"],
  ["x", "\n", "x"],
  ["x", "\n ", "x"],
  ["", "`", "x"],
  ["", "` ", ""],
  ["`", "x", ""],
  ["", "**a", ""],
  ["", "*a ", ""],
  ["", "_", "a"],
  ["a", "_", "a"],
  ["", ">", ""],
  ["", "> ", ""],
  ["", "- ", "x"],
  ["", "1. ", ""],
  ["<a", " b", ""],
  ["<a", " b=", ""],
  ["<a b", " ", "c"],
  ["", "<", ""],
  ["", "< /", ""],
  ["", "<|a", ""],
  ["", "<!--", ""],
  ["", "=", "x"],
  ["a\n", "-", "x"],
  ["", '"', ""],
  ["", "\\", ""],
  ["", '-"', ""],
  ["", "\u202e", ""],
  ["## Conclusion\n", "\n  ", "x"],
];

for (const [name, read] of Object.entries(readers)) {
  for (const [before, repeated, after] of shapes) {
    const times = Math.floor(
      (limits.documentBytesMax - before.length - after.length) / Buffer.byteLength(repeated),
    );
    // If a reader does not finish, the last printed line shows which reader it was.
    process.stdout.write(`${name} ${JSON.stringify([before, repeated, after])}\n`);
    read(before + repeated.repeat(times) + after);
  }
}
process.stdout.write("all were read\n");
