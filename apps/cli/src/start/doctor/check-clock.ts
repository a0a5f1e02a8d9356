import { limits } from "@merkle/wire/limits";
import type { HealthReply } from "../../broker/broker-facts.js";
import { type DoctorFinding, fail, ok, skip, warn } from "./check.js";

/** The clock difference above which times in feeds look wrong. */
const noticeableSkewMs = 30_000;

/**
 * Checks that the clocks of this machine and the broker agree. The broker refuses signatures whose time
 * differs too much from its own (HELLO-5).
 *
 * @param own - this machine's time when the broker sent its health
 */
export function checkClock({ time }: Pick<HealthReply, "time">, own: number): DoctorFinding {
  const brokers = typeof time === "string" ? Date.parse(time) : Number.NaN;
  return Number.isNaN(brokers) ? skipClock : compareClocks({ own, brokers });
}

export const skipClock = skip("clock", "the broker does not report its time");

export function compareClocks({ own, brokers }: { own: number; brokers: number }): DoctorFinding {
  const apartMs = Math.abs(own - brokers);
  if (apartMs < noticeableSkewMs) return ok("clock", "agrees with the broker's");
  const apart = `${Math.round(apartMs / 1_000)} s ${own < brokers ? "behind" : "ahead of"} the broker's`;
  const advice = "turn on network time here, or on the broker's machine if its clock is wrong";
  if (apartMs <= limits.clockSkewSecondsMax * 1_000) return warn("clock", `is ${apart}`, advice);
  const refused = `the broker refuses keys beyond ${limits.clockSkewSecondsMax} s`;
  return fail("clock", `is ${apart}; ${refused}`, advice);
}
