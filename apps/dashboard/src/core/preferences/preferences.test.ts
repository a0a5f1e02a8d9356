import { expect, it } from "vitest";
import { defaultPreferences, parsePreferences } from "./preferences";

it("[DASH-15] what is kept of choices is taken over where it is one, and is as by default where it is not", () => {
  for (const text of [null, "", "null", "[]", "{", '{"theme":"mauve","split":"half","other":1}']) {
    expect(parsePreferences(text), String(text)).toEqual(defaultPreferences);
  }
  expect(parsePreferences('{"theme":"dark","enterSends":false,"density":7}')).toEqual({
    ...defaultPreferences,
    theme: "dark",
    enterSends: false,
  });
  const ofEarlierVersion = '{"theme":"dark","lanes":"open","split":40}';
  expect(parsePreferences(ofEarlierVersion)).toEqual({ ...defaultPreferences, theme: "dark", split: 40 });
});
