import { expect, it } from "vitest";
import { toMonogram } from "./monogram";

it("[DASH-80] a team's monogram is the initials of two words, or the first letters of one", () => {
  expect(toMonogram("Atlas")).toBe("AT");
  expect(toMonogram("Alex's Team")).toBe("AT");
  expect(toMonogram("Birch (2)")).toBe("B2");
  expect(toMonogram("\u202eevil")).toBe("EV");
  expect(toMonogram("山田 太郎")).toBe("山太");
  expect(toMonogram("…")).toBe("?");
});
