import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { packageName } from "@merkle/wire/text";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";

const root = fileURLToPath(new URL("..", import.meta.url));
const read = (path: string) => readFileSync(join(root, path), "utf8");

/** The exports of release.mjs, which has no type declarations. */
interface Release {
  findSection(changelog: string, heading: string): string | undefined;
  releaseChangelog(changelog: string, version: string, day: string): string;
  isLater(version: string, than: string): boolean;
  setVersion(text: string, from: string, version: string): string;
  setLockedVersions(text: string, from: string, version: string): string;
  addShippedPage(text: string, version: string, sha256: string): string;
}
const release = (await import(new URL("../scripts/release.mjs", import.meta.url).href)) as Release;

describe("a release", () => {
  it("[PACK-8] takes what the changelog has as not released, and leaves room for what comes", () => {
    const before = "# Changelog\n\n## Unreleased\n\n- New.\n\n## 0.1.0 (2026-01-01)\n\n- First.\n";
    const after = release.releaseChangelog(before, "0.2.0", "2026-02-03");
    expect(after).toBe(
      "# Changelog\n\n## Unreleased\n\n## 0.2.0 (2026-02-03)\n\n- New.\n\n## 0.1.0 (2026-01-01)\n\n- First.\n",
    );
    expect(release.findSection(after, "0.2.0")).toBe("- New.");
    expect(() => release.releaseChangelog(after, "0.3.0", "2026-02-04")).toThrow("nothing under");
    expect(
      ["0.2.0", "0.10.0", "0.1.9", "v1", "1.0"].filter((each) => release.isLater(each, "0.1.9")),
    ).toEqual(["0.2.0", "0.10.0"]);
  });

  it("[VERIFY-15] adds its page to the list of shipped pages, which has one for every released version", () => {
    const list = read("packages/wire/src/record/shipped-pages.ts");
    const sha256 = "a".repeat(64);
    const added = release.addShippedPage(list, "9.9.9", sha256);
    expect(added).toContain(`  "9.9.9": "${sha256}",\n};`);
    expect(() => release.addShippedPage(added, "9.9.9", sha256)).toThrow("already");
    const versions = [...read("CHANGELOG.md").matchAll(/^## (\d+\.\d+\.\d+) /gm)].map(
      ([, version]) => version,
    );
    const listed = [...list.matchAll(/^ {2}"(.*)": "[0-9a-f]{64}",$/gm)].map(([, version]) => version);
    expect(listed.sort()).toEqual(versions.sort());
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

describe("the workflows", () => {
  it("[PACK-8] call scripts that exist, and pin actions and images by digest", () => {
    const { scripts } = JSON.parse(read("package.json"));
    for (const name of ["ci", "weekly", "release"]) {
      const text = read(`.github/workflows/${name}.yml`);
      const named = text.matchAll(/npm run ([\w:-]+)|^ +- (test:[\w-]+)$/gm);
      const called = [...named].map(([, command, entry]) => command ?? entry ?? "");
      expect(called.filter((script) => !Object.hasOwn(scripts, script))).toEqual([]);
      for (const [, path = ""] of text.matchAll(/node (scripts\/[\w.-]+)/g)) expect(read(path)).not.toBe("");
      const actions = [...text.matchAll(/uses: (.*)/g)].map(([, action = ""]) => action);
      expect(actions.filter((action) => !/^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual(
        [],
      );
      const images = [...text.matchAll(/image: (.*)/g)].map(([, image = ""]) => image);
      expect(images.filter((image) => !/@\$\{\{ matrix\.digest \}\}$/.test(image))).toEqual([]);
    }
    const versions: object[] = parse(read(".github/workflows/ci.yml")).jobs.postgres.strategy.matrix.include;
    expect(versions.map((each) => ({ ...each }))).toEqual(
      [15, 16, 17, 18].map((postgres) => ({
        postgres,
        digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      })),
    );
    const bases = [...read("Dockerfile").matchAll(/^ARG \w+_IMAGE=(.*)$/gm)].map(([, image]) => image);
    expect(bases).toEqual([...bases].fill(expect.stringMatching(/:[\w.-]+@sha256:[0-9a-f]{64}$/)));
  });

  const { permissions, jobs } = parse(read(".github/workflows/release.yml"));
  const { build, publish } = jobs;
  const commandsOf = (job: { steps: { run?: string }[] }) =>
    job.steps.flatMap(({ run }) => (run === undefined ? [] : [run]));

  it("[PACK-8] the release's build job may only read, and returns the hashes of its files", () => {
    expect(permissions).toEqual({});
    expect(Object.keys(jobs)).toEqual(["build", "publish"]);
    expect(build.permissions).toEqual({ contents: "read" });
    expect(build.environment).toBeUndefined();
    expect(JSON.stringify(build)).not.toMatch(/secrets\.|github\.token|id-token/);
    expect(build.steps[0].with).toEqual({ "persist-credentials": false });
    expect(build.outputs.sha256).toMatch(/^\$\{\{ steps\.hash\.outputs\.sha256 \}\}$/);
    expect(commandsOf(build).at(-1)).toContain("sha256sum");
  });

  it("[PACK-8] the release's publish job runs nothing of the repository, and checks the hashes first", () => {
    expect(publish).toMatchObject({ needs: "build", environment: "release" });
    expect(publish.permissions).toEqual({ contents: "write", "id-token": "write" });
    const actions = publish.steps.flatMap(({ uses }: { uses?: string }) => uses?.split("@")[0] ?? []);
    expect(actions).toEqual(["actions/download-artifact", "actions/setup-node"]);
    const [check, ...rest] = commandsOf(publish);
    expect(check).toContain("sha256sum --check --strict");
    expect(rest).toEqual([
      "npm publish --ignore-scripts ./release/*.tgz",
      expect.stringMatching(/^gh release create .* --repo "\$GITHUB_REPOSITORY" --verify-tag /),
    ]);
    const isBefore = (step: { run?: string }) => step.run === check;
    expect(publish.steps.findIndex(isBefore)).toBe(1);
  });

  it("[PACK-8] the check of the publish job refuses a file that changed, is missing or was added", () => {
    const script: string = commandsOf(build).at(-1) ?? "";
    const check: string = commandsOf(publish)[0] ?? "";
    const folder = mkdtempSync(join(tmpdir(), "merkle-release-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const run = (command: string, env: NodeJS.ProcessEnv) =>
      spawnSync("bash", ["-euo", "pipefail", "-c", command], { cwd: folder, env: { ...process.env, ...env } })
        .status;
    for (const name of ["merkle-mesh-cli-9.9.9.tgz", "merkle.cdx.json", "notes.md"])
      writeFileSync(join(folder, name), name);
    const output = join(tmpdir(), `${basename(folder)}.output`);
    onTestFinished(() => rmSync(output, { force: true }));
    expect(run(script, { GITHUB_OUTPUT: output })).toBe(0);
    const [, SHA256 = ""] = /^sha256<<END\n(.*)\nEND\n$/s.exec(readFileSync(output, "utf8")) ?? [];
    expect(run(check, { SHA256 })).toBe(0);
    writeFileSync(join(folder, "more"), "");
    expect(run(check, { SHA256 })).not.toBe(0);
    rmSync(join(folder, "more"));
    writeFileSync(join(folder, "notes.md"), "other");
    expect(run(check, { SHA256 })).not.toBe(0);
    rmSync(join(folder, "notes.md"));
    expect(run(check, { SHA256 })).not.toBe(0);
  });

  it("[PACK-8] npm publishes the package for everybody, with provenance", () => {
    expect(JSON.parse(read("apps/cli/package.json")).publishConfig).toEqual({
      access: "public",
      provenance: true,
    });
  });
});
