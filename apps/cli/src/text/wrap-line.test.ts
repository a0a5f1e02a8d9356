import { describe, expect, it } from "vitest";
import { displayWidth } from "./display-width.js";
import { wrapLine } from "./wrap-line.js";

describe("breaking a line of a watch", () => {
  it("[CLI-49] breaks between words, and a word that is too long anywhere", () => {
    expect(wrapLine("one two three four", 9, "  ")).toEqual(["one two", "  three", "  four"]);
    expect(wrapLine("abcdefghij", 4)).toEqual(["abcd", "efgh", "ij"]);
    expect(wrapLine("", 10)).toEqual([""]);
    for (const line of wrapLine("認証トークン テスト ".repeat(9), 12, " "))
      expect(displayWidth(line)).toBeLessThanOrEqual(12);
  });

  it("[CLI-17] a word that is too long stays whole on a line of its own where it may be copied", () => {
    expect(wrapLine("see abcdefghij there", 8, "  ", "whole")).toEqual(["see", "  abcdefghij", "  there"]);
    expect(wrapLine("\u001b[2mabcdefghij\u001b[22m", 8, "  ", "whole")).toHaveLength(1);
  });

  it("[CLI-49] each line has its colours to itself, and these take no room", () => {
    const red = "\u001b[31m";
    const end = "\u001b[39m";
    expect(wrapLine(`${red}one two${end} three`, 7)).toEqual([`${red}one two${end}`, "three"]);
    expect(wrapLine(`a ${red}one two${end}`, 5)).toEqual([`a ${red}one\u001b[0m`, `${red}two${end}`]);
  });
});

it("[CLI-151] a right-to-left text that is broken is set off in each of its lines", () => {
  const lines = wrapLine("to Ana  \u2068שלום לכולם מכאן\u2069 done", 14, "  ");
  expect(lines.length).toBeGreaterThan(1);
  for (const line of lines) {
    expect(line.split("\u2068").length, line).toBe(line.split("\u2069").length);
    if (/[א-ת]/.test(line)) expect(line).toMatch(/\u2068[^\u2069]*[א-ת][^\u2069]*\u2069/);
  }
});
