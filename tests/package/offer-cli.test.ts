import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
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
  // [INSTALL-7] The upgrade does not overwrite the checkout's command.
  await expect(run(launcher, ["upgrade", "--cli", "-y"], { env, cwd: home })).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/runs from the checkout .*\n.*cd .* && git pull && npm start/),
  });
  await run(launcher, ["uninstall", "--cli"], { env, cwd: home });
  expect(await readdir(home)).toEqual([".merkle"]);
  expect(await readdir(join(home, ".merkle"))).not.toContain("cli");
});

it("[INSTALL-10] at a terminal it asks once, and an open question is withdrawn when the broker starts, and asked again", {
  tags: "terminal",
}, async () => {
  const home = await mkdtemp(join(tmpdir(), "merkle-offer-"));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  /**
   * Shows the question at a terminal. Depending on `settles`, calls `settle` immediately or after the answer is stored.
   */
  const offer = async (settles: "at once" | "answered", typed = "") => {
    const script = `import { existsSync } from "node:fs";
      import { offerCli } from ${JSON.stringify(offerModule)};
      const offer = offerCli({ isYes: false, isQuiet: false });
      const isKept = () => existsSync(${JSON.stringify(join(home, ".merkle/start.json"))});
      while (${settles === "answered"} && !isKept()) await new Promise((resolve) => setTimeout(resolve, 20));
      await offer.settle(${JSON.stringify(merkle)});
      console.log("broker starts");`;
    await writeFile(join(home, "start.mjs"), script);
    const env = { HOME: home, MERKLE_HOME: join(home, ".merkle"), PATH: "/usr/bin:/bin", TERM: "xterm" };
    const command = `exec '${process.execPath}' start.mjs`;
    const child = spawn("script", ["-qec", command, "/dev/null"], { env, cwd: home });
    onTestFinished(() => void child.kill("SIGKILL"));
    let screen = "";
    child.stdout.on("data", (chunk: Buffer) => {
      const isAsked = screen.includes("[Y/n]");
      screen += chunk;
      if (!isAsked && screen.includes("[Y/n]")) child.stdin.write(typed);
    });
    await once(child, "close");
    expect(screen).toContain("broker starts");
    return screen;
  };
  const question = "Put the command merkle into ~/.local/bin";
  expect(await offer("at once")).toContain(question);
  expect(await offer("answered", "n\r")).toContain(question);
  expect(await offer("at once")).not.toContain(question);
  expect(await readdir(home)).not.toContain(".local");

  await rm(join(home, ".merkle/start.json"));
  expect(await offer("answered", "\r")).toContain(question);
  expect(await readFile(join(home, ".local/bin/merkle"), "utf8")).toContain(merkle);
});
