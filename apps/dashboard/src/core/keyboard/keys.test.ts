import { expect, it } from "vitest";
import { isPressed, type LetterKeys, parseKeys } from "./keys";

const plain = { ctrlKey: false, metaKey: false, shiftKey: false, altKey: false, code: "" };

function pressed(keys: string, event: Partial<KeyboardEvent>, letterKeys: LetterKeys = "on"): boolean {
  const [press] = parseKeys(keys);
  // The event has only the fields that `isPressed` reads.
  return press !== undefined && isPressed(press, { ...plain, ...event } as KeyboardEvent, letterKeys);
}

it("[DASH-9] keys are read as people write them", () => {
  expect(parseKeys("g s").map(({ key }) => key)).toEqual(["g", "s"]);
  expect(pressed("mod+k", { key: "k", ctrlKey: true })).toBe(true);
  expect(pressed("mod+k", { key: "k", metaKey: true })).toBe(true);
  expect(pressed("k", { key: "k", ctrlKey: true })).toBe(false);
  expect(pressed("?", { key: "?", shiftKey: true })).toBe(true);
  expect(pressed("j", { key: "J", shiftKey: true })).toBe(false);
  expect(pressed("Escape", { key: "Escape" })).toBe(true);
});

it("[DASH-9] keys of one letter or sign can be switched off, or bound to Alt", () => {
  expect(pressed("j", { key: "j" }, "off")).toBe(false);
  expect(pressed("?", { key: "?", shiftKey: true }, "off")).toBe(false);
  expect(pressed("mod+k", { key: "k", ctrlKey: true }, "off")).toBe(true);
  expect(pressed("Escape", { key: "Escape" }, "off")).toBe(true);
  expect(pressed("j", { key: "j" }, "alt")).toBe(false);
  expect(pressed("j", { key: "∆", code: "KeyJ", altKey: true }, "alt")).toBe(true);
});
