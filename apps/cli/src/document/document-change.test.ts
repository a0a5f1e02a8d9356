import { describe, expect, it } from "vitest";
import { readDiff } from "./document-change.js";

const text =
  "# Auth\n\nIntro\n\n## Decisions\n\n- one\n- two\n\n```\n# no heading\nrun\n```\n\n## Open\n\n- three\n";

describe("what a diff changed", () => {
  it("[CLI-22] counts lines and names the headings above them", () => {
    const diff =
      "--- v1\n+++ v2\n@@ -5,3 +5,4 @@\n ## Decisions\n \n-- 1\n+- one\n+- two\n \n@@ -14,0 +15,3 @@\n+## Open\n+\n+- three\n";
    expect(readDiff(diff, text)).toEqual({ added: 5, removed: 1, sections: ["## Decisions", "## Open"] });
  });

  it("[CLI-22] a removal belongs to where it was, a line in a fence to the heading above the fence", () => {
    const removal = "--- v1\n+++ v2\n@@ -7,4 +7,3 @@\n - one\n - two\n-- gone\n \n";
    expect(readDiff(removal, text)).toEqual({ added: 0, removed: 1, sections: ["## Decisions"] });
    const fenced = "--- v1\n+++ v2\n@@ -11,2 +11,2 @@\n # no heading\n-walk\n+run\n";
    expect(readDiff(fenced, text).sections).toEqual(["## Decisions"]);
  });

  it("[CLI-22] lines that look like a diff's own head are counted as what they are", () => {
    const diff = "--- v1\n+++ v2\n@@ -1,2 +1,2 @@\n---- a\n+++++ b\n \\ No newline at end of file\n";
    expect(readDiff(diff, "+++ b\n")).toMatchObject({ added: 1, removed: 1, sections: [] });
  });

  it("[CLI-22] an empty document and no change have nothing to name", () => {
    expect(readDiff("", "")).toEqual({ added: 0, removed: 0, sections: [] });
    expect(readDiff("--- v1\n+++ v2\n@@ -1,2 +0,0 @@\n-a\n-b\n", "")).toEqual({
      added: 0,
      removed: 2,
      sections: [],
    });
  });
});
