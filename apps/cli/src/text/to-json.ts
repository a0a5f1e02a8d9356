/** A value as JSON. What JSON leaves as it is and a terminal may obey, such as the one-character CSI, is escaped as well. */
export function toJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f]/g,
    (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
