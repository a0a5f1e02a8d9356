import { existsSync, readFileSync, realpathSync } from "node:fs";
import { sep } from "node:path";

/**
 * The file that Node was started with, which is `bin/merkle.mjs` of a checkout and of an installed package alike: what
 * another process is told to run when it shall run this same merkle. Links, such as npm's, are followed, for they may
 * be gone by then.
 */
export function entryFile(): string {
  return realpathSync(process.argv[1] ?? "");
}

/** Whether npx fetched this program into its cache, where it stays for as long as npm likes. */
export function runsFromNpx(): boolean {
  return entryFile().includes(`${sep}_npx${sep}`);
}

/** The version of this package, from its own description. */
export function readVersion(): string {
  return readPackage("version");
}

export function readPackage(field: "name" | "version"): string {
  // The bundle lies one folder below the package, what was compiled in a checkout two.
  const places = ["../package.json", "../../package.json"].map((place) => new URL(place, import.meta.url));
  const description: unknown = JSON.parse(
    readFileSync(places.find((place) => existsSync(place)) ?? "", "utf8"),
  );
  const value = Object(description)[field];
  if (typeof value === "string") return value;
  throw new TypeError(`The package.json of merkle has no ${field}. Install merkle again.`);
}
