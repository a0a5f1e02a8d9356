import { existsSync, readFileSync, realpathSync } from "node:fs";
import { sep } from "node:path";

/**
 * Returns the file that Node was started with, `bin/merkle.mjs` in a checkout or an installed package. Other
 * processes run this file to start the same merkle. Resolves links, such as npm's, because they may not exist
 * later.
 */
export function entryFile(): string {
  return realpathSync(process.argv[1] ?? "");
}

/** Returns whether this program runs from npx's cache, which npm may delete at any time. */
export function runsFromNpx(): boolean {
  return entryFile().includes(`${sep}_npx${sep}`);
}

/** Returns this package's version from its package.json. */
export function readVersion(): string {
  return readPackage("version");
}

export function readPackage(field: "name" | "version"): string {
  // The bundle is one folder below the package's root, and a checkout's compiled code is two.
  const places = ["../package.json", "../../package.json"].map((place) => new URL(place, import.meta.url));
  const description: unknown = JSON.parse(
    readFileSync(places.find((place) => existsSync(place)) ?? "", "utf8"),
  );
  const value = Object(description)[field];
  if (typeof value === "string") return value;
  throw new TypeError(`The package.json of merkle has no ${field}. Install merkle again.`);
}
