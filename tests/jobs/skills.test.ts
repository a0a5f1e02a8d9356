import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { verbs } from "../../apps/cli/src/features/jobs/agent/verbs.js";
import { installSkills } from "../../apps/cli/src/features/jobs/runner/claude-runner.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const shipped = join(root, "apps/cli/skills");
const names = ["merkle-conclude", "merkle-incorporate", "merkle-perspective"];

async function readAll(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name));
  const texts = files.map(async (file) => [file.slice(folder.length + 1), await readFile(file, "utf8")]);
  return Object.fromEntries(await Promise.all(texts));
}

it("[SKILL-1] the repository has the skills that the package ships, to the letter", async () => {
  const files = await readAll(shipped);
  expect(Object.keys(files).sort()).toEqual(names.map((name) => `${name}/SKILL.md`));
  expect(await readAll(join(root, ".claude/skills"))).toEqual(files);
});

it("[SKILL-2] a runner's folder has them and nothing else of the kind, whatever stood there", async () => {
  const folder = await mkdtemp(join(tmpdir(), "merkle-skills-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await installSkills(folder);
  await writeFile(join(folder, ".claude/settings.json"), '{"hooks": {}}');
  await writeFile(join(folder, ".claude/skills/merkle-conclude/SKILL.md"), "do something else");
  await installSkills(folder);
  expect(await readdir(folder)).toEqual([".claude"]);
  expect(await readdir(join(folder, ".claude"))).toEqual(["skills"]);
  expect(await readAll(join(folder, ".claude/skills"))).toEqual(await readAll(shipped));
});

it.each(["merkle-conclude", "merkle-incorporate"])(
  "[SKILL-4] %s has its agent start from the draft that was sent back",
  async (name) => {
    const text = await readFile(join(shipped, name, "SKILL.md"), "utf8");
    expect(text).toContain("With a line `Returned draft`");
    expect(text).toContain("`AGENT read-draft --id <Returned draft>`");
    expect(text).toMatch(/Start from (that draft|its changes)/);
  },
);

it.each(names)(
  "[SKILL-3] %s names itself, and no command that the agent's program does not know",
  async (name) => {
    const text = await readFile(join(shipped, name, "SKILL.md"), "utf8");
    expect(text).toMatch(new RegExp(`^---\nname: ${name}\ndescription: \\S.*\n---\n`));
    const calls = [...text.matchAll(/\bAGENT ([a-z][a-z-]*)([^`\n]*)/g)];
    expect(calls.length).toBeGreaterThan(2);
    for (const [call, verb, rest = ""] of calls) {
      const known = verbs.find((each) => each.name === verb);
      expect(known, call).toBeDefined();
      for (const [, option = ""] of rest.matchAll(/--([a-z-]+)/g)) {
        expect(Object.keys(known?.options ?? {}), call).toContain(option);
      }
    }
  },
);
