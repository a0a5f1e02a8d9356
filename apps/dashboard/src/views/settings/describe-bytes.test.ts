import { expect, it } from "vitest";
import { describeBytes } from "./describe-bytes";

it("[DASH-163] a size is told in the unit that makes it readable", () => {
  expect([0, 1, 512, 1024, 1536, 150 * 1024, 5 * 1024 ** 3].map(describeBytes)).toEqual([
    "0 bytes",
    "1 byte",
    "512 bytes",
    "1.0 KiB",
    "1.5 KiB",
    "150 KiB",
    "5.0 GiB",
  ]);
});
