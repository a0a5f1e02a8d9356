import { usageError } from "./core/cli-error.js";

const secondsOf: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** A time span as people type it: `90s`, `30m`, `24h`, `7d`. @throws CliError `usage` for anything else */
export function toSeconds(text: string, flag: string): number {
  const [, count = "", unit = ""] = /^(\d{1,6})\s*([smhd])$/i.exec(text.trim()) ?? [];
  const seconds = Number(count) * (secondsOf[unit.toLowerCase()] ?? 0);
  if (seconds > 0) return seconds;
  throw usageError(`${flag} must be a time span such as 30m, 24h or 7d, got ${JSON.stringify(text)}.`);
}
