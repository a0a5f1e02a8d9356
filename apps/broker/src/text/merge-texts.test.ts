import { expect, it } from "vitest";
import { mergeOntoCurrent } from "./merge-texts.js";

const base = "# Plan\n\none\ntwo\nthree\n\n## Next\n\nfour\nfive\n";

it("[PROP-8] changes of different places come together", () => {
  const current = base.replace("one", "ONE");
  const proposed = base.replace("five\n", "five\nsix\n");
  expect(mergeOntoCurrent({ base, current, proposed })).toEqual({
    content: base.replace("one", "ONE").replace("five\n", "five\nsix\n"),
    conflicts: [],
  });
});

it("[PROP-8] the same change of both is no conflict", () => {
  const same = base.replace("two", "TWO");
  expect(mergeOntoCurrent({ base, current: same, proposed: same.replace("four", "4") })).toEqual({
    content: same.replace("four", "4"),
    conflicts: [],
  });
});

it("[PROP-8] where both changed one place, or two that touch, the current text stays and is named", () => {
  const current = base.replace("four", "current four");
  expect(mergeOntoCurrent({ base, current, proposed: base.replace("four", "proposed four") })).toEqual({
    content: current,
    conflicts: ["## Next"],
  });
  const touching = mergeOntoCurrent({
    base,
    current: base.replace("one", "ONE"),
    proposed: base.replace("two", "TWO").replace("five", "FIVE"),
  });
  expect(touching).toEqual({
    content: base.replace("one", "ONE").replace("five", "FIVE"),
    conflicts: ["# Plan"],
  });
});

it("[PROP-8] texts at both ends, empty ones and last lines without a break are merged", () => {
  expect(mergeOntoCurrent({ base: "", current: "", proposed: "new" }).content).toBe("new");
  expect(mergeOntoCurrent({ base: "a", current: "a", proposed: "" }).content).toBe("");
  expect(
    mergeOntoCurrent({ base: "a\nb\nc\nd", current: "top\na\nb\nc\nd", proposed: "a\nb\nc\nd\nend" }).content,
  ).toBe("top\na\nb\nc\nd\nend");
});
