import { existsSync, readFileSync } from "node:fs";

/** Reads the version from this package's package.json, which is one folder above the bundle or two above the sources. */
export function readVersion(): string {
  const places = ["../package.json", "../../package.json"].map((place) => new URL(place, import.meta.url));
  const place = places.find((each) => existsSync(each));
  if (!place) throw new TypeError("The broker's package.json is missing. Install Merkle again.");
  const description: unknown = JSON.parse(readFileSync(place, "utf8"));
  if (typeof description === "object" && description !== null && "version" in description) {
    return String(description.version);
  }
  throw new TypeError("The broker's package.json has no version. Install Merkle again.");
}
