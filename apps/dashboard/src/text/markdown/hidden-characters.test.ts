import { expect, it } from "vitest";
import { showHidden } from "./hidden-characters";

it("[DASH-53] characters that reorder or hide text are shown by their number", () => {
  expect(showHidden("pay \u202Elive\u202C now")).toBe("pay [U+202E]live[U+202C] now");
  expect(showHidden("a\u2066b\u2069")).toBe("a[U+2066]b[U+2069]");
  expect(showHidden("x\u{E0041}\u{E0042}y")).toBe("x[U+E0041][U+E0042]y");
  expect(showHidden("\u001b[31mred")).toBe("[U+001B][31mred");
});

it("[DASH-53] what scripts and emoji need stays as it is", () => {
  for (const text of [
    "שלום\u200f!",
    "می\u200cخواهم",
    "👩\u200d💻",
    "🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}",
    "a\tb\r\nc",
  ]) {
    expect(showHidden(text)).toBe(text);
  }
});
