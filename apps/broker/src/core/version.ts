import { existsSync, readFileSync } from "node:fs";

/** The version of this package, from its own description. */
export function readVersion(): string {
  // A bundle lies one folder below its package, sources and what is compiled from them two.
  const places = ["../package.json", "../../package.json"].map((place) => new URL(place, import.meta.url));
  const description: unknown = JSON.parse(
    readFileSync(places.find((place) => existsSync(place)) ?? "", "utf8"),
  );
  if (typeof description === "object" && description !== null && "version" in description) {
    return String(description.version);
  }
  throw new TypeError("The broker's package.json has no version: install Merkle again.");
}
