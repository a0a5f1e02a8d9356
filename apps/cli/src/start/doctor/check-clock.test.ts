import { expect, it } from "vitest";
import { compareClocks } from "./check-clock.js";

const brokers = Date.parse("2026-11-29T12:00:00Z");

it.each([
  [0, "ok", "agrees with the broker's"],
  [-29_000, "ok", "agrees with the broker's"],
  [-40_000, "warn", "is 40 s behind the broker's"],
  [300_000, "warn", "is 300 s ahead of the broker's"],
  [301_000, "fail", "is 301 s ahead of the broker's; the broker refuses keys beyond 300 s"],
])("[HELLO-7] a clock that is off by %i ms is told as %s", (offMs, status, message) => {
  expect(compareClocks({ own: brokers + offMs, brokers })).toMatchObject({ id: "clock", status, message });
});
