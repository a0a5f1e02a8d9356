import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import {
  chmod,
  copyFile,
  cp,
  lstat,
  mkdir,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { toHookSettings, withoutInstalled } from "../clients/claude-hooks.js";
import { createSnippet } from "../install/snippets.js";
import { type TestMerkle, testMerkle } from "../test-kit/merkle.js";
import { startAtTerminal } from "../test-kit/terminal.js";

/** Creates a user with the given version of Claude Code and these settings files. */
async function testUser({ version = "2.1.330", config = "", settings = "" } = {}) {
  const merkle = await testMerkle();
  const paths = {
    config: join(merkle.home, ".claude.json"),
    settings: join(merkle.home, ".claude", "settings.json"),
  };
  const bin = join(merkle.home, "bin");
  await mkdir(bin);
  await writeFile(join(bin, "claude"), `#!/bin/sh\necho '${version} (Claude Code)'\n`, { mode: 0o755 });
  await mkdir(join(merkle.home, ".claude"));
  if (config) await writeFile(paths.config, config, { mode: 0o644 });
  if (settings) await writeFile(paths.settings, settings);
  const run = (...args: string[]) => merkle.run(args, { env: { PATH: `${bin}:${process.env["PATH"]}` } });
  return { merkle, paths, bin, run };
}

async function readTexts({ config, settings }: { config: string; settings: string }): Promise<string[]> {
  return Promise.all([config, settings].map((path) => readFile(path, "utf8")));
}

const config =
  '{\n    "numStartups": 7,\n    "mcpServers": {"other": {"env": {"TOKEN": "hush"}}},\n  "odd":[1 ,2]}';
const settings = '{"permissions": {"allow": ["Bash(ls)"]},\r\n\t"hooks": {"Stop": []}}\r\n';

describe("merkle install and uninstall", () => {
  it("[INSTALL-1] [INSTALL-3] shows, adds, and takes away again, byte for byte", async () => {
    const { merkle, paths, run } = await testUser({ config, settings });
    const shown = await run("install", "--dry-run");
    expect(shown.code).toBe(0);
    expect(shown.stdout).toContain(`--- ${paths.config}\n+++ ${paths.config}\n@@ mcpServers.merkle @@\n+`);
    expect(shown.stdout).not.toContain("hush");
    expect(await readTexts(paths)).toEqual([config, settings]);
    expect(existsSync(join(merkle.home, "install"))).toBe(false);

    expect(await run("install", "-y")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("✓ Claude Code has merkle"),
    });
    const [newConfig = "", newSettings = ""] = await readTexts(paths);
    const script = join(merkle.home, "install", "merkle");
    expect(JSON.parse(newConfig)).toEqual({
      ...JSON.parse(config),
      mcpServers: {
        other: { env: { TOKEN: "hush" } },
        merkle: {
          type: "stdio",
          command: script,
          args: ["mcp"],
          env: { MERKLE_HOME: merkle.home },
        },
      },
    });
    const { permissions, hooks } = JSON.parse(newSettings);
    expect(permissions).toEqual({ allow: ["mcp__merkle", "Bash(ls)"] });
    expect(Object.keys(hooks).sort()).toEqual([
      "PermissionRequest",
      "PostToolBatch",
      "PreToolUse",
      "SessionStart",
      "Stop",
      "StopFailure",
      "UserPromptSubmit",
    ]);
    expect(hooks.SessionStart[0].hooks[0]).toEqual({
      type: "command",
      command: `env MERKLE_HOME=${merkle.home} ${script} hook session-start`,
    });
    expect((await stat(paths.config)).mode & 0o777).toBe(0o644);
    expect((await readdir(join(merkle.home, "install"))).sort()).toEqual(["claude.json", "merkle"]);
    expect((await stat(join(merkle.home, "install", "claude.json"))).mode & 0o777).toBe(0o600);
    expect(await run("install", "-y", "--json")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"changed":false'),
    });

    expect(await run("uninstall", "-y")).toMatchObject({ code: 0 });
    expect(await readTexts(paths)).toEqual([config, settings]);
    expect(await readdir(join(merkle.home, "install"))).toEqual([]);
    expect(await run("uninstall", "-y")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("nothing to undo"),
    });
  });

  it("[INSTALL-3] takes away exactly its own after others have written, and the files that it made", async () => {
    const { paths, run } = await testUser({ settings });
    await run("install", "-y");
    const [, grown = ""] = await readTexts(paths);
    const foreign = JSON.parse(grown);
    foreign.hooks.Stop.push({ hooks: [{ type: "command", command: "say done" }] });
    foreign.model = "opus";
    await writeFile(paths.settings, JSON.stringify(foreign));
    expect(await run("uninstall", "-y")).toMatchObject({ code: 0 });
    expect(existsSync(paths.config)).toBe(false);
    expect(JSON.parse(await readFile(paths.settings, "utf8"))).toEqual({
      permissions: { allow: ["Bash(ls)"] },
      hooks: { Stop: [{ hooks: [{ type: "command", command: "say done" }] }] },
      model: "opus",
    });
  });

  it("[INSTALL-2] gives back a server of that name, follows a link, and minds CLAUDE_CONFIG_DIR", async () => {
    const own = '{"mcpServers":{"merkle":{"type":"http","url":"http://x","headers":{"X-Key":"hush"}}}}';
    const { merkle, run, bin } = await testUser();
    const folder = join(merkle.home, "elsewhere");
    await mkdir(folder);
    await writeFile(join(merkle.home, "dotfile.json"), own);
    await symlink(join(merkle.home, "dotfile.json"), join(folder, ".claude.json"));
    const env = { PATH: `${bin}:${process.env["PATH"]}`, CLAUDE_CONFIG_DIR: folder };
    const { stdout } = await merkle.run(["install", "--dry-run"], { env });
    expect(stdout).toContain("@@ mcpServers.merkle @@\n-(your earlier value, not shown)\n+");
    expect(stdout).not.toContain("hush");
    expect(await merkle.run(["install", "-y"], { env })).toMatchObject({ code: 0 });
    const now = JSON.parse(await readFile(join(merkle.home, "dotfile.json"), "utf8"));
    expect(now.mcpServers.merkle.type).toBe("stdio");
    await writeFile(join(merkle.home, "dotfile.json"), JSON.stringify({ ...now, more: 1 }));
    expect(await run("uninstall", "-y")).toMatchObject({ code: 0 });
    expect(JSON.parse(await readFile(join(merkle.home, "dotfile.json"), "utf8"))).toEqual({
      ...JSON.parse(own),
      more: 1,
    });
    expect(existsSync(join(folder, "settings.json"))).toBe(false);
  });

  it("[INSTALL-2] needs -y where nobody can be asked, leaves what is no JSON, and gives an old Claude Code no hooks it lacks", async () => {
    const { paths, run } = await testUser({ version: "2.1.200", config: "{ // mine\n}", settings });
    expect(await run("install")).toMatchObject({ code: 1, stderr: expect.stringContaining("is not JSON") });
    await writeFile(paths.config, config);
    expect(await run("install")).toMatchObject({ code: 2, stderr: expect.stringContaining("needs -y") });
    expect(await readTexts(paths)).toEqual([config, settings]);
    expect(await run("install", "--client", "emacs")).toMatchObject({ code: 2 });
    const { stderr } = await run("install", "-y");
    expect(stderr).toContain("Claude Code 2.1.200 can be woken only through a wait");
    const [, text = ""] = await readTexts(paths);
    expect(JSON.parse(text).hooks).toEqual({ Stop: [], SessionStart: [expect.anything()] });
    await chmod(paths.settings, 0o600);
    expect(await run("uninstall", "-y")).toMatchObject({ code: 0 });
    expect(await readTexts(paths)).toEqual([config, settings]);
  });

  it("[INSTALL-9] changes all files or none, and says which one to edit", { tags: "mounts" }, async () => {
    const { merkle, paths, run } = await testUser({ config, settings });
    // A bind-mounted file can be written but not replaced. Containers and managed home folders contain such
    // files.
    await promisify(execFile)("mount", ["--bind", "-o", "ro", paths.settings, paths.settings]);
    onTestFinished(async () => {
      await promisify(execFile)("umount", ["--lazy", paths.settings]);
    });
    const { code, stderr } = await run("install", "-y");
    expect(code).toBe(1);
    expect(stderr).toContain(`+++ ${paths.settings}\n@@ hooks.SessionStart @@\n+`);
    expect(stderr).toMatch(new RegExp(`${paths.settings} cannot be written: .*Nothing was changed`));
    expect(await readTexts(paths)).toEqual([config, settings]);
    expect(await readdir(join(merkle.home, "install"))).toEqual(["merkle"]);
  });

  it("[INSTALL-9] keeps a byte order mark, CRLF and a link that leads nowhere yet, and refuses what is not UTF-8", async () => {
    const marked = '\uFEFF{\r\n  "a": 1\r\n}\r\n';
    const { merkle, paths, run } = await testUser({ settings: marked });
    await symlink(join(merkle.home, "later.json"), paths.config);
    expect(await run("install", "-y")).toMatchObject({ code: 0 });
    const [made = "", edited = ""] = await readTexts(paths);
    expect(JSON.parse(made).mcpServers.merkle.type).toBe("stdio");
    expect(edited.startsWith('\uFEFF{\r\n  "permissions"')).toBe(true);
    expect(edited.replaceAll("\r\n", "")).not.toContain("\n");
    expect(await run("uninstall", "-y")).toMatchObject({ code: 0 });
    expect(await readFile(paths.settings, "utf8")).toBe(marked);
    expect((await lstat(paths.config)).isSymbolicLink()).toBe(true);
    expect(existsSync(paths.config)).toBe(false);

    const bytes = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
    await writeFile(paths.settings, bytes);
    expect(await run("install", "-y")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`${paths.settings} is not UTF-8, so it was left unchanged.`),
    });
    expect(await readFile(paths.settings)).toEqual(bytes);
    expect(existsSync(paths.config)).toBe(false);

    await writeFile(paths.settings, "{}");
    await rm(paths.config);
    await symlink(join(merkle.home, "nowhere/later.json"), paths.config);
    expect(await run("install", "-y")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("it is a link into a folder that does not exist. Nothing was changed."),
    });
    expect(await readFile(paths.settings, "utf8")).toBe("{}");
  });

  it("[INSTALL-8] what install wrote runs after Node was upgraded and the package moved, and doctor runs it", {
    tags: "posix",
  }, async () => {
    const { merkle, paths, bin } = await testUser();
    const { home } = merkle;
    const formatNodeScript = (version: string) => join(home, ".nvm/versions/node", version, "bin/node");
    await mkdir(dirname(formatNodeScript("v20.19.0")), { recursive: true });
    await copyFile(process.execPath, formatNodeScript("v20.19.0"));
    const folder = dirname(dirname(await realpath(inject("program"))));
    await cp(folder, join(home, "package"), { recursive: true });
    const run = async (node: string, place: string, ...args: string[]) => {
      const env = { PATH: `${bin}:${dirname(node)}:/usr/bin:/bin`, HOME: home, MERKLE_HOME: home };
      const program = join(home, place, "bin", basename(inject("program")));
      return promisify(execFile)(node, [program, ...args], { env, cwd: home });
    };
    await run(formatNodeScript("v20.19.0"), "package", "install", "-y");
    const written = (await readTexts(paths)).join();
    for (const each of ["v20.19.0", "package", process.execPath]) expect(written).not.toContain(each);

    await mkdir(dirname(dirname(formatNodeScript("v22.0.0"))), { recursive: true });
    await rename(dirname(formatNodeScript("v20.19.0")), dirname(formatNodeScript("v22.0.0")));
    const { hooks } = JSON.parse((await readTexts(paths))[1] ?? "");
    const hook = hooks.SessionStart[0].hooks[0].command;
    const callHook = () =>
      promisify(execFile)("sh", ["-c", `${hook} </dev/null`], {
        env: { PATH: `${dirname(formatNodeScript("v22.0.0"))}:/usr/bin:/bin`, HOME: home },
      });
    await expect(callHook()).resolves.toMatchObject({ stderr: "" });

    await rename(join(home, "package"), join(home, "moved"));
    await expect(callHook()).rejects.toMatchObject({ stderr: expect.stringContaining("is gone") });
    await expect(run(formatNodeScript("v22.0.0"), "moved", "doctor")).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/✗ installed Claude Code starts .*is gone.*\n {4}fix: .*merkle install/),
    });
    // The user's own merkle command is another copy of the same program.
    await run(formatNodeScript("v22.0.0"), "moved", "install", "--cli");
    await expect(callHook()).resolves.toMatchObject({ stderr: "" });
    const { stdout } = await run(formatNodeScript("v22.0.0"), "moved", "doctor").catch((error) => error);
    expect(stdout).toMatch(/✓ installed Claude Code starts .*, which responds/);
  });

  it("[INSTALL-4] prints for other clients what to put where, and changes nothing", async () => {
    const { run, merkle } = await testUser();
    const { code, stdout } = await run("install", "--client", "vscode");
    expect(code).toBe(0);
    const narrow = "http://localhost:1/api/mcp?tools=core,messaging,mesh&view=compact";
    for (const each of [".vscode/mcp.json", `"url": "${narrow}"`]) expect(stdout).toContain(each);
    expect(stdout).toContain(`"command": "${join(merkle.home, "install", "merkle")}"`);
    expect(await readdir(join(merkle.home, "install"))).toEqual(["merkle"]);
    const installed = { command: "node", entry: ["/merkle.mjs"], serveArgs: ["mcp"], env: {} };
    for (const [client, file, stdio, http] of [
      ["goose", "~/.config/goose/config.yaml", 'cmd: "node"', 'uri: "http://x"'],
      ["antigravity", "antigravity", '"mcpServers"', '"serverUrl": "http://x"'],
      ["vscode", ".vscode/mcp.json", '"servers"', '"type": "http"'],
      ["print", "the file with the client's MCP servers", '"type": "stdio"', '"url": "http://x"'],
    ] as const) {
      expect(createSnippet(client, installed, "http://x")).toMatchObject({
        where: expect.stringContaining(file),
        stdio: expect.stringContaining(stdio),
        http: expect.stringContaining(http),
      });
    }
  });

  it("[LAUNCH-14] a launch adds no hook that is installed already", async () => {
    const { run, paths } = await testUser();
    await run("install", "-y");
    const ours = toHookSettings(["node", "/another/merkle.mjs"], { hasTurnHooks: true });
    expect(await withoutInstalled(ours, { CLAUDE_CONFIG_DIR: dirname(paths.settings) })).toEqual({
      hooks: {},
    });
    expect(await withoutInstalled(ours, { CLAUDE_CONFIG_DIR: "/nowhere" })).toEqual(ours);
  });

  it("[INSTALL-1] asks at a terminal; no, and Ctrl+C, change nothing", { tags: "terminal" }, async () => {
    const { merkle, paths, bin } = await testUser({ config, settings });
    for (const keys of ["n\r", "\u0003"]) {
      const { code } = await answer(merkle, bin, keys);
      expect(code).toBe(130);
    }
    expect(await readTexts(paths)).toEqual([config, settings]);
  });
});

async function answer(merkle: TestMerkle, bin: string, keys: string) {
  const terminal = startAtTerminal(merkle, ["install"], { PATH: `${bin}:${process.env["PATH"]}` });
  await terminal.waitForScreen("Change these files?");
  terminal.type(keys);
  return terminal.ended;
}
