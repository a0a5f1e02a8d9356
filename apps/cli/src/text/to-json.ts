/**
 * Formats a value as JSON. Also escapes control characters that are allowed in JSON but that a terminal may
 * obey, such as the one-character CSI.
 */
export function toJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f]/g,
    (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
