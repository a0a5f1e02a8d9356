import { readFileSync } from "node:fs";

/** The version of this package, from its own description. */
export function readVersion(): string {
  const description: unknown = JSON.parse(
    readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
  );
  if (typeof description === "object" && description !== null && "version" in description) {
    return String(description.version);
  }
  throw new TypeError("The broker's package.json has no version: install Merkle again.");
}
