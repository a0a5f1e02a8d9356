import { expect, it } from "vitest";
import { readKeys } from "./screen.js";

it("[CLI-50] keys are text, the few that edit a line, and nothing else", () => {
  expect(readKeys("qé 認")).toEqual([{ kind: "text", text: "qé 認" }]);
  expect(readKeys("hi\u007f\u0015\r\u0003").map(({ kind }) => kind)).toEqual([
    "text",
    "backspace",
    "clear",
    "enter",
    "interrupt",
  ]);
  expect(readKeys("\u001b[A\u001b[1;5C\u001bOP\u0001")).toEqual([]);
  expect(readKeys("\u001b")).toEqual([{ kind: "escape" }]);
});
