import type { StateVersionRow } from "@merkle/db";
import type { StateLine } from "@merkle/wire/record";

/** Converts a stored state value to the public form used in replies and records. */
export function toStateEntry({
  key,
  version,
  value,
  updatedBy,
  updatedAt,
  redacted = false,
}: StateVersionRow): StateLine {
  return {
    key,
    ...(value === null ? {} : { value: JSON.parse(value) }),
    deleted: value === null && !redacted,
    ...(redacted && { redacted }),
    version,
    updatedBy,
    updatedAt: updatedAt.toISOString(),
  };
}
