import { isIP } from "node:net";
import {
  ownDevicesMax,
  type RateLimit,
  type RateLimitName,
  type RateLimits,
  rateLimits,
} from "@merkle/wire/limits";
import { toBaseUrl } from "../core/address.js";
import { usageError } from "../core/cli-error.js";
import { splitList } from "../core/flags.js";
import { isObject } from "../core/is-object.js";
import { type GivenValue, invalidValue, parseList, parseText } from "./setting.js";

export function parsePort(given: GivenValue): number {
  const text = parseText(given);
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw invalidValue(given, "a whole number from 0 to 65535");
}

export function parseHost(given: GivenValue): string {
  const text = parseText(given);
  const host = text.replace(/^\[(.*)\]$/, "$1");
  if (/^[a-z0-9._-]+$/i.test(host) || /^[0-9a-f:.]+(?:%\w+)?$/i.test(host)) return host;
  throw invalidValue(given, "an address of this machine without a port, such as 127.0.0.1 or ::1");
}

export function parseAuth(given: GivenValue): "open" | "invite" {
  const text = parseText(given);
  if (text === "open" || text === "invite") return text;
  throw invalidValue(given, "open (anyone can connect) or invite (only members can connect)");
}

/** Checks an address and returns it unchanged, because it may be the address of an MCP endpoint. */
export function parsePublicUrl(given: GivenValue): string {
  const text = parseText(given);
  toBaseUrl(text, given.name);
  return text;
}

export function parseHosts(given: GivenValue): readonly string[] {
  const hosts = splitList([parseText(given)]);
  const bad = hosts.find((host) => !/^(?:\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/i.test(host));
  if (bad === undefined) return hosts;
  throw invalidValue({ ...given, value: bad }, "host names separated by commas, such as mesh.example.com");
}

/**
 * Parses addresses and address ranges, given as a list or as a comma-separated string.
 *
 * @throws CliError `usage` that names the invalid range
 */
export function parseRanges({ value, name }: GivenValue): readonly string[] {
  const ranges = typeof value === "string" ? splitList([value]) : parseList({ value, name });
  for (const range of ranges) {
    const [address = "", bits = "0", ...more] = range.split("/");
    const bitsMax = isIP(address) === 6 ? 128 : 32;
    const isRange = isIP(address) > 0 && !address.includes("%") && more.length === 0;
    if (isRange && /^\d{1,3}$/.test(bits) && Number(bits) <= bitsMax) continue;
    throw invalidValue({ value: range, name }, "addresses or ranges such as 127.0.0.1 or 10.0.0.0/8");
  }
  return ranges;
}

/**
 * Parses the names of a person's devices, given as a list or as a comma-separated string.
 *
 * @throws CliError `usage` that names the invalid device
 */
export function parseOwnDevices({ value, name }: GivenValue): readonly string[] {
  const devices = typeof value === "string" ? splitList([value]) : parseList({ value, name });
  const bad = devices.find((device) => !/^[0-9a-f]{64}$/.test(device));
  if (bad !== undefined)
    throw invalidValue(
      { value: bad, name },
      "names of devices: 64 hexadecimal digits, as Settings shows them",
    );
  if (devices.length <= ownDevicesMax) return devices;
  throw usageError(`${name} can have at most ${ownDevicesMax} devices, got ${devices.length}.`);
}

/** Parses a member's token. Errors never repeat the token. */
export function parseToken(given: GivenValue): string | undefined {
  const token = parseText(given).trim();
  if (token === "" || /^mk[to]_[A-Za-z0-9_-]{43}$/.test(token)) return token || undefined;
  throw usageError(`${given.name} must be a member token from merkle token create: mkt_ and 43 characters.`);
}

/**
 * Parses the broker's rate limits: `"off"`, or an object with the limits that differ from the defaults, such
 * as `{"member_write": {"per_second": 50, "burst": 500}}`.
 */
export function parseRates(given: GivenValue): Partial<RateLimits> | "off" {
  const { value, name: source } = given;
  if (value === "off") return value;
  if (!isObject(value)) throw invalidValue(given, '"off" or an object');
  return Object.fromEntries(
    Object.entries(value).map(([name, rate]) => [
      requireName(name, source),
      parseRate({ value: rate, name: `${name} of ${source}` }),
    ]),
  );
}

function requireName(name: string, source: string): RateLimitName {
  const known = (Object.keys(rateLimits) as RateLimitName[]).find((each) => each === name);
  if (known) return known;
  throw usageError(
    `${source} has no rate ${JSON.stringify(name)}. Available: ${Object.keys(rateLimits).join(", ")}.`,
  );
}

function parseRate(given: GivenValue): RateLimit {
  const { value } = given;
  if (isObject(value) && Object.keys(value).sort().join() === "burst,per_second") {
    const { burst, per_second } = value;
    if (typeof burst === "number" && burst >= 1 && typeof per_second === "number" && per_second > 0)
      return { burst, per_second };
  }
  throw invalidValue(given, '{"per_second": 50, "burst": 500} with a burst of at least 1');
}
