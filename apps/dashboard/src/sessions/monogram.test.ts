import { expect, it } from "vitest";
import { monogramOf } from "./monogram";

it("[DASH-80] a team's monogram is the initials of two words, or the first letters of one", () => {
  expect(monogramOf("Atlas")).toBe("AT");
  expect(monogramOf("Alex's Team")).toBe("AT");
  expect(monogramOf("Birch (2)")).toBe("B2");
  expect(monogramOf("\u202eevil")).toBe("EV");
  expect(monogramOf("山田 太郎")).toBe("山太");
  expect(monogramOf("…")).toBe("?");
});
