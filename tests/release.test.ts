import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { packageName } from "@merkle/wire/text";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

const root = fileURLToPath(new URL("..", import.meta.url));
const read = (path: string) => readFileSync(join(root, path), "utf8");

/** A script without types; this is what it says of itself. */
interface Release {
  sectionOf(changelog: string, heading: string): string | undefined;
  releaseChangelog(changelog: string, version: string, day: string): string;
  isLater(version: string, than: string): boolean;
  setVersion(text: string, from: string, version: string): string;
  setLockedVersions(text: string, from: string, version: string): string;
}
const release = (await import(new URL("../scripts/release.mjs", import.meta.url).href)) as Release;

describe("a release", () => {
  it("[PACK-8] takes what the changelog has as not released, and leaves room for what comes", () => {
    const before = "# Changelog\n\n## Unreleased\n\n- New.\n\n## 0.1.0 (2026-01-01)\n\n- First.\n";
    const after = release.releaseChangelog(before, "0.2.0", "2026-02-03");
    expect(after).toBe(
      "# Changelog\n\n## Unreleased\n\n## 0.2.0 (2026-02-03)\n\n- New.\n\n## 0.1.0 (2026-01-01)\n\n- First.\n",
    );
    expect(release.sectionOf(after, "0.2.0")).toBe("- New.");
    expect(() => release.releaseChangelog(after, "0.3.0", "2026-02-04")).toThrow("nothing under");
    expect(
      ["0.2.0", "0.10.0", "0.1.9", "v1", "1.0"].filter((each) => release.isLater(each, "0.1.9")),
    ).toEqual(["0.2.0", "0.10.0"]);
  });

  it("[PACK-8] gives every package of ours the version, and none of others'", () => {
    const lock = read("package-lock.json");
    const { version: current } = JSON.parse(lock);
    const cli = JSON.parse(release.setVersion(read("apps/cli/package.json"), current, "9.9.9"));
    const { version, devDependencies = {}, dependencies = {} } = cli;
    const ours = Object.entries({ ...dependencies, ...devDependencies }).filter(([name]) =>
      name.startsWith("@merkle/"),
    );
    expect(version).toBe("9.9.9");
    expect(new Set(ours.map(([, of]) => of))).toEqual(new Set(["9.9.9"]));
    const changed = release.setLockedVersions(lock, current, "9.9.9");
    expect(release.setLockedVersions(changed, "9.9.9", current)).toBe(lock);
  });
});

it("[PACK-8] the name under which npm has Merkle is written alike wherever it is written", () => {
  expect(JSON.parse(read("apps/cli/package.json")).name).toBe(packageName);
  const pages = ["README.md", "AGENTS.md", "CHANGELOG.md", "docs/operation.md", "docs/guide/running-it.md"];
  for (const page of pages) {
    const named = [
      ...read(page).matchAll(/npx -y (@?[\w-]+(?:\/[\w-]+)?)|npm install -g (@[\w-]+\/[\w-]+)/g),
    ];
    expect([page, ...named.map(([, npx, npm]) => npx ?? npm)]).toEqual([
      page,
      ...named.map(() => packageName),
    ]);
  }
});

it("[PACK-8] what the workflows run is there, and the one that publishes may sign where the package comes from", () => {
  const { scripts } = JSON.parse(read("package.json"));
  for (const name of ["ci", "release"]) {
    const text = read(`.github/workflows/${name}.yml`);
    const called = [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, script = ""]) => script);
    expect(called.filter((script) => !Object.hasOwn(scripts, script))).toEqual([]);
    for (const [, path = ""] of text.matchAll(/node (scripts\/[\w.-]+)/g)) expect(read(path)).not.toBe("");
  }
  expect(parse(read(".github/workflows/release.yml")).permissions).toMatchObject({ "id-token": "write" });
  expect(JSON.parse(read("apps/cli/package.json")).publishConfig).toEqual({
    access: "public",
    provenance: true,
  });
});
