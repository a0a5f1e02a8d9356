import { existsSync, readFileSync } from "node:fs";

/** Reads the version from this package's package.json, which is one folder above the bundle or two above the sources. */
export function readVersion(): string {
  const candidates = ["../package.json", "../../package.json"].map(
    (place) => new URL(place, import.meta.url),
  );
  const url = candidates.find((each) => existsSync(each));
  if (!url) throw new TypeError("The broker's package.json is missing. Install Merkle again.");
  const manifest: unknown = JSON.parse(readFileSync(url, "utf8"));
  if (typeof manifest === "object" && manifest !== null && "version" in manifest) {
    return String(manifest.version);
  }
  throw new TypeError("The broker's package.json has no version. Install Merkle again.");
}
