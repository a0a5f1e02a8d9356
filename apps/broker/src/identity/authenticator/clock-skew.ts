import { limits } from "@merkle/wire/limits";

const skewMsMax = limits.clockSkewSecondsMax * 1_000;

/** Returns the latest time that a client's clock may show now. */
export function computeLatestClientTime(now: Date): number {
  return now.getTime() + skewMsMax;
}

/**
 * Compares the time in a client's signed message with the broker's clock. Returns null if the difference is
 * small enough.
 */
export function findClockSkew(time: string, now: Date): ClockSkew | null {
  const skewMs = Date.parse(time) - now.getTime();
  if (Math.abs(skewMs) <= skewMsMax) return null;
  const apart = `${describeDuration(skewMs)} ${skewMs < 0 ? "behind" : "ahead of"}`;
  return {
    problem: `the clock of the machine that signed it is ${apart} the broker's: it showed ${time} when the broker's showed ${now.toISOString()}. Set that machine's clock, for example by turning on network time; a difference of up to ${describeDuration(skewMsMax)} is accepted`,
    details: { client_time: time, broker_time: now.toISOString(), skew_s: Math.round(skewMs / 1_000) },
  };
}

export interface ClockSkew {
  /** A clause for error messages that names the clock, the difference and the remedy. */
  readonly problem: string;
  readonly details: { readonly client_time: string; readonly broker_time: string; readonly skew_s: number };
}

function describeDuration(ms: number): string {
  const seconds = Math.round(Math.abs(ms) / 1_000);
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  return parts
    .map((count, index) => (count === 0 ? "" : `${count} ${["h", "min", "s"][index]}`))
    .filter((part) => part !== "")
    .join(" ");
}
