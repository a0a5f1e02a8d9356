import { expect, it } from "vitest";
import { describeDeception } from "../core/names.js";
import { neutralise } from "./neutralise.js";

const needed = [
  ["a joined emoji", "Ana 👩‍💻"],
  ["one whose parts have a form", "🏳️‍🌈 Pride"],
  ["Persian", "می‌خواهم"],
  ["a Persian plural", "خانه‌ها"],
  ["Devanagari without a ligature", "क्‌ष"],
  ["Sinhala", "ශ්‍රී"],
  ["Hebrew", "שלום"],
] as const;

it.each(needed)("[CLI-149] %s is shown as it was written, and may be a name", (_, text) => {
  expect(neutralise(text)).toBe(text);
  expect(describeDeception(text)).toBeNull();
});

const unneeded = [
  ["between Latin letters", "ad\u200dmin", "ad\u{fffd}min"],
  ["without a Latin letter's need", "ad\u200cmin", "ad\u{fffd}min"],
  ["alone", "\u200d", "\u{fffd}"],
  ["behind an emoji that it joins to nothing", "👩\u200d", "👩\u{fffd}"],
  ["between emoji that are not joined", "👩\u200d🐢", "👩\u{fffd}🐢"],
  ["twice", "می\u200c\u200cخواهم", "می\u{fffd}\u{fffd}خواهم"],
  ["twice behind a virama", "क्\u200d\u200dष", "क्\u{fffd}\u{fffd}ष"],
  ["between Arabic and Latin", "می\u200ca", "می\u{fffd}a"],
] as const;

it.each(unneeded)("[CLI-149] a joiner %s is shown as U+FFFD, and is in no name", (_, text, shown) => {
  expect(neutralise(text)).toBe(shown);
  expect(describeDeception(text)).toMatch(/invisible or unassigned character U\+200/);
});

it("[CLI-149] a name has no joiner that changes nothing, as one behind a letter that never joins", () => {
  expect(neutralise("کار‌ها")).toBe("کار‌ها");
  expect(describeDeception("کار‌ها")).toContain("U+200C");
  expect(describeDeception("👩\ufe0f")).toContain("U+FE0F");
});

it.each([
  "\u202eadmin",
  "\u2066a\u2069",
  "سلام\u200f",
  "🏴\u{e0067}\u{e0062}\u{e007f}",
  "a\u{e0041}",
  "\u200b",
])("[CLI-149] direction marks, tags and blanks stay what they were beside joined text: %j", (text) => {
  expect(neutralise(`👩‍💻 ${text}`)).toContain("\u{fffd}");
  expect(describeDeception(`👩‍💻 ${text}`)).toContain("invisible");
});

it("[CLI-149] words on both sides of a joiner have one script", () => {
  expect(describeDeception("क्\u200cpaypal")).toContain("mix");
  expect(describeDeception("Ana👩‍💻Борис")).toBeNull();
});

it("[CLI-149] a text of nothing but marks is read once, not once for each of them", () => {
  const marks = `${"ن\u064b"}${"\u064b".repeat(60_000)}\u200cن क${"\u094d".repeat(60_000)}\u200dष`;
  expect(neutralise(marks)).toBe(marks);
});
