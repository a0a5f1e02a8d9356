import { describe, expect, it } from "vitest";
import { reanchor, startReanchoring } from "./reanchor.js";

/** Returns the position of the text between the brackets, and the text without the brackets. */
function marked(text: string): { text: string; start: number; end: number } {
  const start = text.indexOf("[[");
  const end = text.indexOf("]]") - 2;
  return { text: text.replace("[[", "").replace("]]", ""), start, end };
}

function follow(from: string, to: string) {
  const before = marked(from);
  const after = to.includes("[[") ? marked(to) : { text: to, start: -1, end: -1 };
  const quote = before.text.slice(before.start, before.end);
  const found = reanchor({ quote, start: before.start, end: before.end }, before.text, after.text);
  const place = found && {
    how: found.how,
    text: after.text.slice(found.start, found.end),
    start: found.start,
  };
  return { place, expected: { text: after.text.slice(after.start, after.end), start: after.start } };
}

const intro = "# Tokens\n\nWe keep them in the keyring of each system.\n\n";
const rotate = "They rotate each day at noon, and the old ones stay good for an hour.\n\n";
const audit = "Every use of a token is written to the audit log.\n\n";
const end = "## Open\n\n- who may read the log\n";
/** Text that is long enough to keep a copy away from its original. */
const far =
  "Keys of services are made by the vault, which asks nobody.\n\nWho leaves loses them at once.\n\n";
const markRotate = rotate.replace("the old ones stay good", "[[the old ones stay good]]");

describe("a place that still stands", () => {
  it.each([
    ["nothing changed", intro + markRotate + audit, intro + markRotate + audit],
    ["text was put in above", intro + markRotate, `New above.\n\n${intro}${markRotate}`],
    ["text was deleted above", intro + markRotate + audit, markRotate + audit],
    ["its own line changed elsewhere", intro + markRotate, intro + markRotate.replace("noon", "midnight")],
    ["its block was put into a quotation", intro + markRotate + end, `${intro}> ${markRotate}${end}`],
    [
      "it is a word that stands everywhere",
      `${intro}${rotate.replace("and the", "and [[the]]")}${audit}`,
      `More.\n\n${intro}${rotate.replace("and the", "and [[the]]")}${audit}`,
    ],
    [
      "it is one of many rows",
      "| a | TODO |\n| b | [[TODO]] |\n| c | TODO |\n",
      "# Table\n\n| a | TODO |\n| b | [[TODO]] |\n| c | TODO |\n",
    ],
  ])("[ANCHOR-2] is where it was when %s", (_what, before, after) => {
    const { place, expected } = follow(before, after);
    expect(place).toEqual({ how: "exact", ...expected });
  });
});

describe("a place that moved", () => {
  it.each([
    ["its block was moved down", intro + markRotate + audit + end, intro + audit + end + markRotate],
    [
      "its block was moved over one as long",
      intro + markRotate + audit + end,
      intro + audit + markRotate + end,
    ],
    [
      "its block was moved and another written anew",
      intro + markRotate + audit + end,
      `${markRotate}${intro}Something else now stands here.\n\n${end}`,
    ],
  ])("[ANCHOR-3] is where it went when %s", (_what, before, after) => {
    const { place, expected } = follow(before, after);
    expect(place).toMatchObject(expected);
    expect(place?.how).not.toBe("reworded");
  });
});

describe("a place that was reworded", () => {
  it.each([
    [
      "a word in it was replaced",
      intro + markRotate + audit,
      intro + rotate.replace("the old ones stay good", "[[the old ones remain good]]") + audit,
    ],
    [
      "its end was replaced",
      intro + rotate.replace("day at noon, and", "[[day at noon, and]]") + audit,
      intro + rotate.replace("day at noon, and", "[[day at noon, but]]") + audit,
    ],
    [
      "it was misspelt",
      intro + markRotate,
      intro + rotate.replace("the old ones stay good", "[[the old ons stay good]]"),
    ],
    [
      "a word was put into it",
      intro + markRotate,
      intro + rotate.replace("the old ones stay good", "[[the old ones still stay good]]"),
    ],
    [
      "it is some lines, of which one changed",
      `${intro}[[${rotate}${audit}]]${end}`,
      `${intro}[[${rotate.replace("noon", "six")}${audit}]]${end}`,
    ],
  ])("[ANCHOR-4] is found when %s", (_what, before, after) => {
    const { place, expected } = follow(before, after);
    expect(place).toEqual({ how: "reworded", ...expected });
  });
});

describe("a place that is lost", () => {
  it.each([
    ["it was deleted", intro + markRotate + audit, intro + audit],
    [
      "another list that begins as its own did took that one's place",
      `${audit}[[-]] TODO\n- Who rotates the keys?\n\n- TODO\n- And when?\n`,
      `${audit}- TODO\n- Leave the vault as it is for a year.\n\n- TODO\n- And when?\n`,
    ],
    [
      "it was deleted, and a twin stands elsewhere",
      intro + markRotate + audit + rotate + end,
      intro + audit + rotate + end,
    ],
    [
      "it was deleted, and one nearly like it stands elsewhere",
      intro + markRotate + audit + rotate.replace("noon", "six") + end,
      intro + audit + rotate.replace("noon", "six") + end,
    ],
    [
      "it was written anew",
      intro + markRotate + audit,
      `${intro}Nothing of that holds any more, as we found.\n\n${audit}`,
    ],
    [
      "a copy was put in far away",
      intro + markRotate + audit + far + end,
      intro + markRotate + audit + far + end + rotate,
    ],
    [
      "a changed copy was put in",
      intro + markRotate + audit + far + end,
      `${intro}${markRotate}${audit}${far}${end}${rotate.replace("noon", "six")}`,
    ],
    [
      "its twin was deleted",
      intro + markRotate + audit + far + rotate + end,
      intro + markRotate + audit + far + end,
    ],
    ["a copy stands right beside it", intro + markRotate + audit, intro + rotate + rotate + audit],
    [
      "one of two that stand beside each other was deleted",
      intro + markRotate + rotate + audit,
      intro + rotate + audit,
    ],
    [
      "a copy was put in and then it was changed",
      intro + markRotate + audit + end,
      intro + rotate.replace("noon", "six") + rotate + audit + end,
    ],
    [
      "rows like its own changed with it",
      "- retry: [[3 times]]\n- retry: 5 times\n",
      "- retry: 9 times\n- retry: 4 times\n",
    ],
    [
      "its sentence was replaced by one with the same word",
      `${intro}The [[cat]] sat.\n\n${audit}`,
      `${intro}No [[cat]] ever came to us again.\n\n${audit}`,
    ],
    [
      "its word was replaced by one that holds it",
      `${intro}Ask the [[vault]] for a new one before the old one ends.\n\n${audit}`,
      `${intro}Ask the nonvaultable for a new one before the old one ends.\n\n${audit}`,
    ],
    ["all was replaced", intro + markRotate + audit, "Something quite different.\n"],
    ["nothing is left", intro + markRotate + audit, ""],
  ])("[ANCHOR-1] is said to be so when %s", (_what, before, after) => {
    expect(follow(before, after.replace(/\[\[|\]\]/g, "")).place).toBeNull();
  });

  it("[ANCHOR-4] small changes do not add up to another text", () => {
    const first = "the old ones stay good for an hour";
    const steps = [first, first.replace("good", "well")];
    for (const [word, other] of ["old young", "ones keys", "stay lasts", "hour day"].map((each) =>
      each.split(" "),
    )) {
      steps.push((steps.at(-1) ?? "").replace(word ?? "", other ?? ""));
    }
    const texts = steps.map((each) => intro + rotate.replace(first, each) + audit);
    const start = texts[0]?.indexOf(first) ?? 0;
    let place = { start, end: start + first.length };
    const found = texts.slice(1).map((after, index) => {
      const answer = reanchor({ quote: first, ...place }, texts[index] ?? "", after);
      if (answer) place = answer;
      return answer?.how ?? "lost";
    });
    expect(found[0]).toBe("reworded");
    expect(found.at(-1)).toBe("lost");
  });
});

it("[ANCHOR-5] two hundred places in a hundred kilobytes are found in bounded time, whatever was done to it", () => {
  const line = (index: number) => `Line ${index} tells of ${index * 7919} things that nobody else does.\n`;
  const lines = Array.from({ length: 1_500 }, (_, index) => line(index));
  const before = lines.join("");
  const places = Array.from({ length: 200 }, (_, index) => {
    const start = before.indexOf(line(index * 7)) + 5;
    return { start, end: start + 20, quote: before.slice(start, start + 20) };
  });
  const edited = lines
    .map((each, index) => (index % 3 === 0 ? each.replace("things", "matters") : each))
    .reverse();
  const repeated = "a b ".repeat(before.length / 4);
  for (const after of [edited.join(""), repeated, before.replaceAll("e", "a"), before.slice(7)]) {
    const answers = places.map(startReanchoring(before, after));
    for (const answer of answers) expect(answer === null || answer.end > answer.start).toBe(true);
  }
});
