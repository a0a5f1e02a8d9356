import { execFile } from "node:child_process";
import { access, chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { findManager } from "../../start/service/manager.js";
import { formatLaunchdPlist, formatSystemdUnit } from "../../start/service/service-files.js";
import { testMerkle } from "../../test-kit/merkle.js";

const run = promisify(execFile);

const facts = {
  command: [process.execPath, '/opt/a "quoted" & <odd> $folder/merkle.mjs', "up", "--port", "7500"],
  home: "/srv/100% merkle",
  path: "/usr/bin:/bin",
  log: "/srv/up.log",
};
const machine = { userHome: "/home/ana", uid: 501, configFolder: undefined, log: "/srv/up.log" };

async function createTemporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "merkle-service-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

it("[PACK-7] systemd finds no fault with the unit, whatever stands in its paths", {
  tags: "systemd",
}, async () => {
  const file = join(await createTemporaryFolder(), "merkle.service");
  await writeFile(
    file,
    formatSystemdUnit({ ...facts, command: [process.execPath, ...facts.command.slice(1)] }),
  );
  const { stderr } = await run("systemd-analyze", ["verify", "--man=no", file]);
  expect(stderr.split("\n").filter((line) => line.includes("merkle.service"))).toEqual([]);
});

it("[PACK-7] the property list says what is run, to the letter", { tags: "python" }, async () => {
  const file = join(await createTemporaryFolder(), "merkle.plist");
  await writeFile(file, formatLaunchdPlist(facts));
  const script = "import json, plistlib, sys; print(json.dumps(plistlib.load(open(sys.argv[1], 'rb'))))";
  const { stdout } = await run("python3", ["-c", script, file]);
  expect(JSON.parse(stdout)).toMatchObject({
    Label: "mesh.merkle.broker",
    ProgramArguments: facts.command,
    WorkingDirectory: facts.home,
    EnvironmentVariables: { MERKLE_HOME: facts.home, PATH: facts.path },
    KeepAlive: { SuccessfulExit: false },
  });
});

it("[PACK-7] each platform has its file, and one with neither manager is told what to do", () => {
  expect(findManager({ ...machine, platform: "linux" }).file).toBe(
    "/home/ana/.config/systemd/user/merkle.service",
  );
  expect(findManager({ ...machine, platform: "darwin" }).file).toBe(
    "/home/ana/Library/LaunchAgents/mesh.merkle.broker.plist",
  );
  expect(() => findManager({ ...machine, platform: "win32" })).toThrow("merkle up");
});

it("[PACK-7] shows what it would write, says when there is none, and takes nothing away then", {
  tags: "linux",
}, async () => {
  const merkle = await testMerkle();
  const env = { XDG_CONFIG_HOME: join(merkle.home, "config") };
  const shown = await merkle.run(["service", "install", "--dry-run", "--", "--port", "7500"], { env });
  expect(shown).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/ExecStart=.*"up" "--port" "7500"/),
  });
  await expect(access(env.XDG_CONFIG_HOME)).rejects.toThrow();
  for (const word of ["status", "logs"])
    expect(await merkle.run(["service", word], { env })).toMatchObject({ code: 5 });
  expect(await merkle.run(["service", "uninstall"], { env })).toMatchObject({
    code: 0,
    stdout: "there was no service\n",
  });
});

it("[PACK-7] where nobody started a systemd for the user nothing is left behind; what a service lacks of the shell is told, and that it has stopped", {
  tags: "linux",
}, async () => {
  const merkle = await testMerkle();
  const systemctl = join(await createTemporaryFolder(), "systemctl");
  const env = { XDG_CONFIG_HOME: join(merkle.home, "config"), PATH: `${dirname(systemctl)}:/usr/bin:/bin` };
  const answer = async (script: string) => {
    await writeFile(systemctl, `#!/bin/sh\n${script}\n`);
    await chmod(systemctl, 0o755);
  };
  await answer('echo "Failed to connect to bus: No medium found" >&2; exit 1');
  expect(await merkle.run(["service", "install"], { env })).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/daemon-reload failed: Failed to connect to bus.*\n +try: .*enable-linger/),
  });
  expect(await merkle.run(["service", "status"], { env })).toMatchObject({ code: 5 });

  await answer('case "$*" in *status*) echo "Active: inactive (dead)"; exit 3;; esac');
  const withDatabase = { ...env, DATABASE_URL: "postgres://ana:hush@localhost/mesh" };
  const installed = await merkle.run(["service", "install"], { env: withDatabase });
  expect(installed).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(
      `does not get MERKLE_PORT, DATABASE_URL from this shell: set it in ${merkle.home}/.env`,
    ),
  });
  expect(installed.stderr).not.toContain("hush");
  expect(await merkle.run(["service", "status"], { env })).toMatchObject({
    code: 3,
    stdout: "Active: inactive (dead)\n",
    stderr: "",
  });
});

it("[PACK-7] the service runs a script of the home, which finds Node, so that it survives the next upgrade of Node", {
  tags: "linux",
}, async () => {
  const merkle = await testMerkle();
  const systemctl = join(await createTemporaryFolder(), "systemctl");
  await writeFile(systemctl, "#!/bin/sh\n", { mode: 0o755 });
  const env = { XDG_CONFIG_HOME: join(merkle.home, "config"), PATH: `${dirname(systemctl)}:/usr/bin:/bin` };
  expect(await merkle.run(["service", "install", "--", "--port", "0"], { env })).toMatchObject({ code: 0 });
  const unit = await readFile(join(env.XDG_CONFIG_HOME, "systemd/user/merkle.service"), "utf8");
  const script = join(merkle.home, "install/merkle-service");
  expect(unit).toContain(`ExecStart="${script}" "up" "--port" "0"\n`);
  expect(unit).not.toContain(process.execPath);

  // If the Node that wrote the script has been removed, the script runs the Node on the PATH.
  const written = await readFile(script, "utf8");
  await writeFile(script, written.replaceAll(process.execPath, "/gone/node"));
  const { stdout } = await run(script, ["version"], {
    env: { HOME: merkle.home, PATH: `${dirname(process.execPath)}:/usr/bin:/bin` },
  });
  expect(stdout).toMatch(/\d+\.\d+/);
  expect(written).toContain('--max-semi-space-size=64 "$program" "$@"');

  expect(await merkle.run(["service", "uninstall"], { env })).toMatchObject({ code: 0 });
  await expect(access(script)).rejects.toThrow();
});

it("[PACK-7] a machine without systemd is named, with what to run instead, and keeps no file", {
  tags: "linux",
}, async () => {
  const merkle = await testMerkle();
  const env = { XDG_CONFIG_HOME: join(merkle.home, "config"), PATH: await createTemporaryFolder() };
  expect(await merkle.run(["service", "install"], { env })).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/This machine has no systemctl.*\n +try: +merkle up --detach/),
  });
  await expect(access(join(env.XDG_CONFIG_HOME, "systemd/user/merkle.service"))).rejects.toThrow();
});
