/**
 * Creates a version: `npm run release -- 0.2.0`. All packages have the same version. The changelog's section "Unreleased" becomes
 * the version's section and its release notes. `--notes` prints the notes of the newest version and changes nothing.
 *
 * Adds the page of the version's HTML exports to the list of shipped pages, so the dashboard must be built before. `--check-page`
 * fails unless the built page is on this list.
 */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const packages = ["", "packages/wire", "packages/db", "apps/broker", "apps/cli", "apps/dashboard"];

/** Returns the text of a section of the changelog, without its heading. */
export function findSection(changelog, heading) {
  const [, text] = changelog.split(new RegExp(`^## ${heading.replaceAll(".", "\\.")}(?: .*)?\n`, "m"));
  return text?.split(/^## /m)[0]?.trim();
}

/** Returns the changelog with the unreleased changes as a version of this day, and a new empty section. */
export function releaseChangelog(changelog, version, day) {
  const text = findSection(changelog, "Unreleased");
  if (!text) throw new Error('CHANGELOG.md has nothing under "## Unreleased".');
  if (findSection(changelog, version) !== undefined) throw new Error(`CHANGELOG.md has ${version} already.`);
  return changelog.replace(/^## Unreleased\n/m, `## Unreleased\n\n## ${version} (${day})\n`);
}

/** True if `version` is a valid version that is later than `than`. */
export function isLater(version, than) {
  return /^\d+\.\d+\.\d+$/.test(version) && version.localeCompare(than, "en", { numeric: true }) > 0;
}

/** Returns a package.json with the new version, for itself and for the other packages that it names. */
export function setVersion(text, from, version) {
  const old = from.replaceAll(".", "\\.");
  return text
    .replace(new RegExp(`^(\\s*"version": )"${old}"`, "m"), `$1"${version}"`)
    .replace(new RegExp(`("@merkle/[\\w-]+": )"${old}"`, "g"), `$1"${version}"`);
}

/** Returns the lockfile with the new version, in the entries of these packages only. */
export function setLockedVersions(text, from, version) {
  const lock = JSON.parse(text);
  lock.version = version;
  for (const folder of packages) {
    const entry = lock.packages[folder];
    entry.version = version;
    for (const [name, of] of Object.entries(entry.dependencies ?? {}))
      if (name.startsWith("@merkle/") && of === from) entry.dependencies[name] = version;
  }
  return `${JSON.stringify(lock, null, text.match(/^[ \t]+/m)?.[0] ?? 2)}\n`;
}

/** Returns the list of shipped pages with the page of a version added. */
export function addShippedPage(text, version, sha256) {
  if (text.includes(`"${version}"`)) throw new Error(`The list of shipped pages has ${version} already.`);
  return text.replace(/^};$/m, `  "${version}": "${sha256}",\n};`);
}

const shippedPages = "packages/wire/src/record/shipped-pages.ts";
const builtPage = "apps/dashboard/out/record.template";

function hashPage(root) {
  try {
    return createHash("sha256")
      .update(readFileSync(join(root, builtPage)))
      .digest("hex");
  } catch (cause) {
    throw new Error(`There is no ${builtPage}: run npm run build -w @merkle/dashboard first.`, { cause });
  }
}

function checkPage(root, version) {
  const sha256 = hashPage(root);
  if (!readFileSync(join(root, shippedPages), "utf8").includes(`"${version}": "${sha256}"`))
    throw new Error(
      `${builtPage} has the hash ${sha256}, which ${shippedPages} does not list for ${version}. Run npm run release where the same page is built.`,
    );
  return `The page of ${version} is on the list.`;
}

function release([wanted = ""]) {
  const root = join(dirname(fileURLToPath(import.meta.url)), "..");
  const read = (path) => readFileSync(join(root, path), "utf8");
  const changelog = read("CHANGELOG.md");
  const { version: current } = JSON.parse(read("package.json"));
  if (wanted === "--notes") return findSection(changelog, current) ?? findSection(changelog, "Unreleased");
  if (wanted === "--check-page") return checkPage(root, current);
  // The files have contained the first version's number from the beginning.
  const isFirst = wanted === current && findSection(changelog, current) === undefined;
  if (!isFirst && !isLater(wanted, current))
    throw new Error(`Say a version later than ${current}, such as 0.2.0.`);
  const pages = addShippedPage(read(shippedPages), wanted, hashPage(root));
  const released = releaseChangelog(changelog, wanted, new Date().toISOString().slice(0, 10));
  writeFileSync(join(root, "CHANGELOG.md"), released);
  writeFileSync(join(root, shippedPages), pages);
  for (const folder of packages) {
    const path = join(folder, "package.json");
    writeFileSync(join(root, path), setVersion(read(path), current, wanted));
  }
  writeFileSync(
    join(root, "package-lock.json"),
    setLockedVersions(read("package-lock.json"), current, wanted),
  );
  return findSection(released, wanted);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    process.stdout.write(`${release(process.argv.slice(2))}\n`);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 1;
  }
}
