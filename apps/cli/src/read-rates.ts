import { type RateLimit, type RateLimitName, type RateLimits, rateLimits } from "@merkle/wire/rate-limits";
import { usageError } from "./core/cli-error.js";

/**
 * Reads how often a broker lets be called, as far as it differs from what is usual: `"off"`, or an object such as
 * `{"member_write": {"per_second": 50, "burst": 500}}`.
 *
 * @throws CliError `usage`, naming `source`
 */
export function readRates(value: unknown, source: string): Partial<RateLimits> | "off" | undefined {
  if (value === undefined || value === "off") return value;
  if (!isObject(value)) throw wrong(source, value, '"off" or an object');
  return Object.fromEntries(
    Object.entries(value).map(([name, rate]) => [
      requireName(name, source),
      readRate(rate, `${name} of ${source}`),
    ]),
  );
}

function requireName(name: string, source: string): RateLimitName {
  const known = (Object.keys(rateLimits) as RateLimitName[]).find((each) => each === name);
  if (known) return known;
  throw usageError(
    `${source} knows no rate ${JSON.stringify(name)}; there are ${Object.keys(rateLimits).join(", ")}.`,
  );
}

function readRate(value: unknown, source: string): RateLimit {
  if (isObject(value) && Object.keys(value).sort().join() === "burst,per_second") {
    const { burst, per_second } = value;
    if (typeof burst === "number" && burst >= 1 && typeof per_second === "number" && per_second > 0)
      return { burst, per_second };
  }
  throw wrong(source, value, '{"per_second": 50, "burst": 500} with a burst of at least 1');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function wrong(source: string, value: unknown, expected: string) {
  return usageError(`${source} must be ${expected}, got ${JSON.stringify(value)}.`);
}
