import { describe, expect, it } from "vitest";
import { cutToWidth, displayWidth } from "./display-width.js";

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
    ["– ✓ ✗ · é", 9],
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
