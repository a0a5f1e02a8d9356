import { expect, it } from "vitest";
import { formatJson, parseInput, previewJson } from "./json-text";

it("[DASH-142] what is typed is JSON, or text where it is none", () => {
  expect(parseInput(" true ")).toEqual({ value: true, as: "JSON", problem: null });
  expect(parseInput('{"a": [1]}')).toEqual({ value: { a: [1] }, as: "JSON", problem: null });
  expect(parseInput('"true"')).toEqual({ value: "true", as: "JSON", problem: null });
  expect(parseInput("until Friday\n")).toEqual({ value: "until Friday", as: "text", problem: null });
  expect(parseInput("null")).toEqual({ value: null, as: "JSON", problem: null });
  for (const wrong of ["", "  \n", "{a: 1}", '["x"', '"open'])
    expect(parseInput(wrong)).toMatchObject({ problem: /./ });
});

it("[DASH-142] what is shown for editing is read as the same value", () => {
  for (const value of [null, 0, "", "0", "text", [1, [2]], { a: { b: "«»" } }])
    expect(parseInput(formatJson(value))).toMatchObject({ value });
});

it("[DASH-143] a preview is one line and cuts no character in two", () => {
  expect(previewJson({ a: "b\nc" })).toBe('{"a":"b\\nc"}');
  expect(previewJson("x".repeat(200))).toHaveLength(121);
  expect(previewJson(`${"x".repeat(118)}😀😀`)).not.toMatch(/\p{Surrogate}/u);
});
