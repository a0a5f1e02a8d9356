import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";

const run = promisify(execFile);
const offerModule = new URL("../../scripts/start/offer-cli.mjs", import.meta.url).href;
const merkle = new URL("../../apps/cli/bin/merkle.mjs", import.meta.url).pathname;

it("[INSTALL-10] without a terminal nobody is asked, and --yes installs the checkout's program, which is undone whole", {
  tags: "posix",
}, async () => {
  const home = await mkdtemp(join(tmpdir(), "merkle-offer-"));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const env = { HOME: home, MERKLE_HOME: join(home, ".merkle"), PATH: process.env["PATH"], LANG: "C.UTF-8" };
  const offer = (isYes: boolean) => {
    const script = `import { offerCli } from ${JSON.stringify(offerModule)};
      await offerCli({ isYes: ${isYes}, isQuiet: false }).settle(${JSON.stringify(merkle)});`;
    return run(process.execPath, ["--input-type=module", "-e", script], { env, cwd: home });
  };
  await offer(false);
  expect(await readdir(home)).toEqual([]);
  await offer(true);
  const launcher = join(home, ".local/bin/merkle");
  expect(await readFile(launcher, "utf8")).toContain(merkle);
  expect((await run(launcher, ["version"], { env, cwd: home })).stdout).toMatch(/\d/);
  await run(launcher, ["uninstall", "--cli"], { env, cwd: home });
  expect(await readdir(home)).toEqual([".merkle"]);
  expect(await readdir(join(home, ".merkle"))).not.toContain("cli");
});
