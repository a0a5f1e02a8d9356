import { expect, it } from "vitest";
import { TypedText } from "./typed-text";

it("[DASH-398] a typed text is written once, and text typed since then is not replaced by the written one", () => {
  const field = new TypedText("");
  expect(field.takeUnwritten()).toBeNull();
  field.type("tok");
  expect(field.takeUnwritten()).toBe("tok");
  field.type("token");
  expect(field.receive("tok")).toBe(false);
  expect(field.takeUnwritten()).toBe("token");
  expect(field.takeUnwritten()).toBeNull();
});

it("[DASH-398] a link or Back replaces the text at once, so the field does not write its earlier text back", () => {
  const field = new TypedText("token");
  expect(field.receive("issuer")).toBe(true);
  // The field still shows its earlier text here, and its timer may run out before it is rendered again.
  expect(field.takeUnwritten()).toBeNull();
  field.type("issuers");
  expect(field.receive("token")).toBe(true);
  expect(field.takeUnwritten()).toBeNull();
});
