import { neutralJson } from "@merkle/wire/plain";

/**
 * JSON as an agent reads it best: each entry of a list on a line of its own. What others wrote is within strings, which it
 * cannot close (TEXT-1).
 */
export function formatResult(result: object): string {
  const fields = Object.entries(result).filter(([, value]) => value !== undefined);
  return `{${fields.map(([name, value]) => `${JSON.stringify(name)}: ${formatField(value)}`).join(",\n ")}}`;
}

function formatField(value: unknown): string {
  if (!Array.isArray(value) || value.length === 0) return neutralJson(value);
  return `[\n  ${value.map((each) => neutralJson(each)).join(",\n  ")}]`;
}
