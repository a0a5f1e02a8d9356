/** The fields of a parsed JSON object. */
export type JsonFields = Readonly<Record<string, unknown>>;

/** Returns whether a parsed JSON value is an object: not null, and not an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
