import { expect, it } from "vitest";
import { formatNumber } from "./format-number.js";

it.each([0, 7, 999, 1_000, 12_345, 100_000, 1_234_567, -1, -1_000, Number.MAX_SAFE_INTEGER])(
  "[DASH-370] %d has commas as in its locale",
  (number) => {
    expect(formatNumber(number)).toBe(number.toLocaleString("en"));
  },
);
