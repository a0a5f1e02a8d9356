import { describe, expect, it } from "vitest";
import { cutToWidth, displayWidth, formatTable } from "./table.js";

describe("the width of text", () => {
  it.each([
    ["abc", 3],
    ["título", 6],
    ["e\u0301", 1],
    ["認証", 4],
    ["チーム・ﾁｰﾑ㈱", 13],
    ["한글", 4],
    ["ｱ", 1],
    ["Ａ", 2],
    ["🚀", 2],
    ["❤️", 2],
    ["1", 1],
    ["→ ● ◐ …", 7],
    ["🇩🇪", 2],
    ["\u200b", 0],
  ])("[CLI-13] %j takes %i columns", (text, width) => {
    expect(displayWidth(text)).toBe(width);
  });

  it("[CLI-13] cuts before the letter that has no room, and never inside one", () => {
    expect(cutToWidth("認証する", 8, "…")).toBe("認証する");
    expect(cutToWidth("認証する", 7, "…")).toBe("認証す…");
    expect(cutToWidth("認証する", 6, "…")).toBe("認証…");
    expect(cutToWidth("abc def", 5, "…")).toBe("abc…");
    expect(cutToWidth("\u2068שלום לך\u2069 done", 5, "…")).toBe("\u2068שלום\u2069…");
  });
});

describe("a table", () => {
  const rows = [
    [{ text: "a" }, { text: "a long title that gives way" }, { text: "v1" }],
    [{ text: "bcd", paint: (text: string) => `<${text}>` }, { text: "認証" }, { text: "v22" }],
  ];

  it("[CLI-13] has its columns below each other, colours and wide letters notwithstanding", () => {
    expect(formatTable(rows, { columns: Number.POSITIVE_INFINITY, flexible: 1, more: "…" })).toBe(
      "a    a long title that gives way  v1\n<bcd>  認証                         v22",
    );
  });

  it("[CLI-13] cuts one flexible column before the next", () => {
    const narrow = [[{ text: "split-the-auth-service" }, { text: "Split the auth service" }, { text: "v1" }]];
    const at = (columns: number) => formatTable(narrow, { columns, flexible: [0, 1], more: "…" });
    expect(at(44)).toBe("split-the-auth-…  Split the auth service  v1");
    expect(at(36)).toBe("split-t…  Split the auth service  v1");
    expect(at(31)).toBe("split-t…  Split the auth s…  v1");
    const wide = formatTable(narrow, { columns: 36, flexible: [[0, 12], 1], more: "…" });
    expect(wide, "not below its own width").toBe("split-the-a…  Split the auth se…  v1");
  });

  it("[CLI-13] leaves no gap for a column in which nobody has anything", () => {
    const peers = ["Elm", "Oak"].map((text) => [{ text }, { text: "" }, { text: "away" }, { text: "" }]);
    expect(formatTable(peers, { columns: 9, flexible: 0, more: "…" })).toBe("Elm  away\nOak  away");
  });

  it("[CLI-13] cuts the flexible column alone", () => {
    expect(formatTable(rows, { columns: 27, flexible: 1, more: "…" }).split("\n")[0]).toBe(
      "a    a long title tha…  v1",
    );
  });
});
