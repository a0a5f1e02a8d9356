import { expect, it } from "vitest";
import { describeBytes } from "./describe-bytes.js";

it("[DASH-163] a size is told in the unit that makes it readable", () => {
  expect([0, 1, 512, 1_000, 1_536, 150_000, 5e9].map(describeBytes)).toEqual([
    "0 bytes",
    "1 byte",
    "512 bytes",
    "1.0 kB",
    "1.5 kB",
    "150 kB",
    "5.0 GB",
  ]);
});
