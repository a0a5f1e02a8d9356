import { describe, expect, it } from "vitest";
import { buildText, type HunkChange, listHunkLines } from "./hunk-lines";

const before = "# Title\n\none\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n";
const proposed = "# Title\n\none\nTWO\nand a half\nthree\nfour\nfive\nsix\nseven\neight\nnine, the end";
const hunks: readonly HunkChange[] = [
  { id: "a", old_start: 4, old_lines: ["two\n"], new_lines: ["TWO\n", "and a half\n"] },
  { id: "b", old_start: 11, old_lines: ["nine\n"], new_lines: ["nine, the end"] },
];

describe("[DASH-285] hunks of a proposal", () => {
  it("[DASH-285] are shown with the lines around them, numbered as before and after, none twice", () => {
    const shown = listHunkLines(proposed, hunks);
    const plain = (id: string) =>
      shown
        .get(id)
        ?.map(({ kind, text, oldLine, newLine }) => `${oldLine ?? ""}|${newLine ?? ""}|${kind}|${text}`);
    expect(plain("a")).toEqual([
      "1|1|same|# Title",
      "2|2|same|",
      "3|3|same|one",
      "4||removed|two",
      "|4|added|TWO",
      "|5|added|and a half",
      "5|6|same|three",
      "6|7|same|four",
      "7|8|same|five",
    ]);
    expect(plain("b")).toEqual([
      "8|9|same|six",
      "9|10|same|seven",
      "10|11|same|eight",
      "11||removed|nine",
      "|12|added|nine, the end",
    ]);
    expect(shown.get("b")?.at(-1)?.hasNoLineBreak).toBe(true);
  });

  it.each([
    [["a", "b"], proposed],
    [[], before],
    [["a"], proposed.replace("nine, the end", "nine\n")],
    [["b"], before.replace("nine\n", "nine, the end")],
  ])("[DASH-285] of which some are chosen leave the rest as it stood: %j", (chosen, expected) => {
    expect(buildText(proposed, hunks, new Set(chosen))).toBe(expected);
  });
});
