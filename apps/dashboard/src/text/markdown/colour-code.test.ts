import { expect, it } from "vitest";
import { highlightCode } from "./colour-code";

it("[DASH-55] code is coloured with the page's own classes, and comes out as it was written", async () => {
  const code = 'const key = "vault"; // staging\n\nawait post(key, 42);';
  const lines = await highlightCode(code, "TS");
  expect(lines?.map((line) => line.map(({ text }) => text).join("")).join("\n")).toBe(code);
  const classOf = (word: string) => lines?.flat().find(({ text }) => text.includes(word))?.className;
  expect(classOf("const")).toBe("text-link");
  expect(classOf("vault")).toBe("text-success");
  expect(classOf("staging")).toBe("text-muted-foreground");
  expect(classOf("post")).toBe("text-info");
  expect(classOf("42")).toBe("text-warning");
  expect(await highlightCode(code, "brainfuck")).toBeNull();
});
