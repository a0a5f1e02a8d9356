import { existsSync, readFileSync, realpathSync } from "node:fs";
import { sep } from "node:path";

/**
 * Returns the file that Node was started with: `bin/merkle.mjs` in a checkout or an installed package. Other
 * processes run this file to start the same merkle. Resolves symbolic links such as npm's, because they may
 * be removed later.
 */
export function getEntryFile(): string {
  return realpathSync(process.argv[1] ?? "");
}

/** Returns whether this program runs from npx's cache, which npm may delete at any time. */
export function runsFromNpx(): boolean {
  return getEntryFile().includes(`${sep}_npx${sep}`);
}

/** Returns the version in this package's package.json. */
export function readVersion(): string {
  return readPackage("version");
}

export function readPackage(field: "name" | "version"): string {
  // package.json is one folder above a bundle, and two folders above a checkout's compiled code.
  const candidates = ["../package.json", "../../package.json"].map((path) => new URL(path, import.meta.url));
  const description: unknown = JSON.parse(
    readFileSync(candidates.find((url) => existsSync(url)) ?? "", "utf8"),
  );
  const value = Object(description)[field];
  if (typeof value === "string") return value;
  throw new TypeError(`The package.json of merkle has no ${field}. Install merkle again.`);
}
