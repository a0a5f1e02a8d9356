import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { clientTable } from "@merkle/wire/text";
import { parse } from "smol-toml";
import { describe, expect, it } from "vitest";
import { startTestBroker } from "../../../../tests/kit/test-broker.js";
import { clients } from "../clients/clients.js";
import { listProcesses, readProcessStart } from "../core/process-table.js";
import { testMerkle } from "../test-kit/merkle.js";

const versions = {
  codex: "codex-cli 0.169.0",
  gemini: "0.61.0",
  opencode: "1.18.33",
  copilot: "GitHub Copilot CLI 1.0.102.",
  "cursor-agent": "2026.09.10-5c1b8c1",
} as const;

/** Creates a user who has all clients in these versions, and these files in the home folder. */
async function testUser(files: Readonly<Record<string, string>> = {}) {
  const merkle = await testMerkle();
  const bin = join(merkle.home, "bin");
  await mkdir(bin);
  for (const [name, version] of Object.entries(versions))
    await writeFile(join(bin, name), `#!/bin/sh\necho '${version}'\n`, { mode: 0o755 });
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(merkle.home, path)), { recursive: true });
    await writeFile(join(merkle.home, path), text);
  }
  const env = { PATH: `${bin}:${process.env["PATH"]}`, HOME: merkle.home };
  return {
    run: (...args: string[]) => merkle.run(args, { env }),
    read: (path: string) => readFile(join(merkle.home, path), "utf8"),
    path: (path: string) => join(merkle.home, path),
  };
}

/** For each client, the files that the user already has, and the files that install creates. */
const kinds = {
  codex: {
    there: {
      ".codex/config.toml": 'model = "o3" # mine\n\n[mcp_servers.other]\nurl = "http://x?token=hush"\n',
      ".codex/hooks.json": '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"say done"}]}]}}',
    },
    made: [".codex/config.toml", ".codex/hooks.json"],
  },
  gemini: {
    there: {
      ".gemini/settings.json": '{\n  // mine\n  "mcpServers": {"other": {"env": {"T": "hush"}}},\n}\n',
    },
    made: [".gemini/settings.json"],
  },
  opencode: {
    there: { ".config/opencode/opencode.jsonc": '{\r\n\t"plugin": ["other"], /* hush */\r\n}\r\n' },
    made: [".config/opencode/opencode.json"],
  },
  copilot: {
    there: { ".copilot/mcp-config.json": '{"mcpServers": {}}' },
    made: [".copilot/mcp-config.json", ".copilot/hooks/merkle.json"],
  },
  cursor: {
    there: {
      ".cursor/mcp.json": '{"mcpServers": {"other": {"url": "http://x?token=hush"}}}',
      ".cursor/hooks.json": '{"version": 1,\n "hooks": {"stop": [{"command": "say done"}]}}\n',
    },
    made: [".cursor/mcp.json", ".cursor/hooks.json"],
  },
} as const;

describe.each(Object.entries(kinds))("merkle install --client %s", (name, { there, made }) => {
  it("[VENDOR-2] [VENDOR-3] shows, adds to what is there, and takes away again, byte for byte", async () => {
    const { run, read, path } = await testUser(there);
    const shown = await run("install", "--client", name, "--dry-run");
    expect(shown.code).toBe(0);
    for (const each of Object.keys(there)) expect(shown.stdout).toContain(`+++ ${path(each)}`);
    expect(shown.stdout).not.toContain("hush");
    expect(await run("install", "--client", name, "-y")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`undo: merkle uninstall --client ${name}`),
    });
    for (const [each, text] of Object.entries(there)) {
      const now = await read(each);
      expect(now).not.toBe(text);
      expect(now).toContain("merkle");
    }
    expect(await run("install", "--client", name, "-y", "--json")).toMatchObject({
      stdout: expect.stringContaining('"changed":false'),
    });
    expect(await run("uninstall", "--client", name, "-y")).toMatchObject({ code: 0 });
    for (const [each, text] of Object.entries(there)) expect(await read(each)).toBe(text);
  });

  it("[VENDOR-3] makes the files that are not there, and takes them away", async () => {
    const { run, read, path } = await testUser();
    await run("install", "--client", name, "-y");
    for (const each of made) expect(await read(each)).toContain("merkle");
    await run("uninstall", "--client", name, "-y");
    for (const each of made) expect(existsSync(path(each))).toBe(false);
  });

  it("[VENDOR-3] takes away its own alone after others have written", async () => {
    const { run, read, path } = await testUser(there);
    await run("install", "--client", name, "-y");
    for (const each of Object.keys(there)) await writeFile(path(each), `${await read(each)}\n`);
    await run("uninstall", "--client", name, "-y");
    for (const [each, text] of Object.entries(there)) expect(await read(each)).toBe(`${text}\n`);
  });
});

it("[VENDOR-2] Codex gets a server whose tools need no approval, and hooks that call it", async () => {
  const { run, read } = await testUser();
  await run("install", "--client", "codex", "-y");
  expect(parse(await read(".codex/config.toml"))).toMatchObject({
    mcp_servers: {
      merkle: { command: expect.stringMatching(/install.merkle$/), default_tools_approval_mode: "approve" },
    },
  });
  const { hooks } = JSON.parse(await read(".codex/hooks.json"));
  expect(Object.keys(hooks).sort()).toEqual(["PostToolUse", "PreToolUse", "Stop", "UserPromptSubmit"]);
  expect(hooks.PostToolUse[0].hooks[0]).toMatchObject({
    type: "mcp_tool",
    server: "merkle",
    tool: "hook",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Codex fills this in
    input: { client: "codex", event: "PostToolBatch", prompt_id: "${turn_id}" },
  });
});

it("[VENDOR-2] a server of that name that the user has is not taken from Codex", async () => {
  const own = '[mcp_servers.merkle]\nurl = "http://mine"\n';
  const { run, read } = await testUser({ ".codex/config.toml": own });
  expect(await run("install", "--client", "codex", "-y")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("mcp_servers.merkle already has another value"),
  });
  expect(await read(".codex/config.toml")).toBe(own);
});

it("[VENDOR-2] an older client gets only the server, and its user gets a note", async () => {
  const { run, read, path } = await testUser();
  await writeFile(path("bin/codex"), "#!/bin/sh\necho codex-cli 0.120.0\n", { mode: 0o755 });
  const { stderr } = await run("install", "--client", "codex", "-y");
  expect(stderr).toContain("codex-cli 0.120.0 can be woken only through a wait");
  expect(await readdir(path(".codex"))).toEqual(["config.toml"]);
  expect(await read(".codex/config.toml")).toContain("[mcp_servers.merkle]");
});

it("[VENDOR-1] each client has a name, a program and words for its user of its own", () => {
  for (const field of ["name", "label", "program", "mcpName", "installAdvice"] as const)
    expect(new Set(clients.map((each) => each[field])).size).toBe(clients.length);
  // An ACP agent is not installed, and named by its user.
  const rows = clientTable.filter(({ name }) => name !== "acp");
  expect(clients.map(({ name, label }) => ({ name, label }))).toEqual(
    expect.arrayContaining(rows.map(({ name, label }) => ({ name, label }))),
  );
});

it("[VENDOR-7] what its hooks answer has the model read the text, and nothing where there is none", () => {
  for (const client of clients) {
    for (const event of ["UserPromptSubmit", "PostToolBatch", "Stop"] as const) {
      expect(JSON.stringify(client.deliver(event, "mail"))).toContain("mail");
      expect(Object.values(client.deliver(event, "")).join("")).toBe("");
    }
  }
});

it("[LAUNCH-12] the conversation to go on with is read from each client's own arguments", () => {
  const resumed = (name: string, ...args: string[]) =>
    clients.find((each) => each.name === name)?.findResumeTarget(args);
  expect(resumed("codex", "resume", "01a-b")).toEqual({ id: "01a-b" });
  expect(resumed("codex", "resume", "--last")).toBe("latest");
  expect(resumed("codex", "exec", "resume")).toBeUndefined();
  expect(resumed("gemini", "--resume", "a5d4-1")).toEqual({ id: "a5d4-1" });
  expect(resumed("gemini", "--resume", "5")).toBeUndefined();
  expect(resumed("opencode", "-s", "ses_1")).toEqual({ id: "ses_1" });
  expect(resumed("opencode", "--continue")).toBe("latest");
  expect(resumed("copilot", "--resume=4fe4")).toEqual({ id: "4fe4" });
  expect(resumed("copilot", "--resume")).toBeUndefined();
  expect(resumed("cursor", "--resume", "a5d4-1")).toEqual({ id: "a5d4-1" });
  expect(resumed("cursor", "--continue")).toBe("latest");
  expect(resumed("cursor", "resume")).toBe("latest");
  expect(resumed("cursor", "--resume")).toBeUndefined();
});

describe("merkle launch --client", () => {
  it.each([
    ["codex", "app-server"],
    ["gemini", '"trust": true'],
    ["opencode", "OPENCODE_CONFIG_CONTENT="],
    ["copilot", "--plugin-dir"],
    ["cursor", "--plugin-dir"],
  ] as const)("[VENDOR-5] shows how %s would be run, and writes nothing", async (name, mark) => {
    const { url } = await startTestBroker();
    const { run, path } = await testUser(kinds[name].there);
    const where = ["--url", url, "--session", "labs", "--team", "Birch"];
    const { code, stdout, stderr } = await run(
      "launch",
      "--client",
      name,
      ...where,
      "--dry-run",
      "--",
      "--own",
    );
    expect({ code, stderr }).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`as ${name} (Birch)`),
    });
    expect(stdout).toContain(mark);
    expect(stdout).toMatch(/--own\b/);
    expect(stdout).not.toContain("mk_");
    expect(existsSync(path("launch"))).toBe(false);
    for (const [each, text] of Object.entries(kinds[name].there))
      expect(await readFile(path(each), "utf8")).toBe(text);
  });

  it("[VENDOR-5] gives Codex an app server beside it that ends with the launch, also when that is killed, and leaves no file", {
    tags: "long",
  }, async () => {
    const { url } = await startTestBroker();
    const merkle = await testMerkle();
    const bin = join(merkle.home, "bin");
    await mkdir(bin);
    const record = join(merkle.home, "record");
    await writeFile(
      join(bin, "codex"),
      `#!${process.execPath}
const fs = require("node:fs");
const args = process.argv.slice(2);
if (args[0] === "--version") return console.log("codex-cli 0.169.0");
if (args[0] === "app-server") {
  fs.writeFileSync("${record}", String(process.pid));
  require("node:net").createServer().listen(args[2].replace("unix://", ""));
} else {
  console.log("codex runs", args.includes("--remote"));
  setInterval(() => undefined, 60_000);
}
`,
      { mode: 0o755 },
    );
    const env = { PATH: `${bin}:${process.env["PATH"]}`, HOME: merkle.home };
    const where = ["--url", url, "--session", "labs", "--team", "Birch", "-y"];
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      const started = merkle.start(["launch", "--client", "codex", ...where], { env });
      await started.waitForOutput("codex runs true");
      const pid = Number(await readFile(record, "utf8"));
      expect(await readProcessStart(pid)).not.toBeNull();
      const runs = (await listProcesses()).filter(({ parent }) => parent === started.process.pid);
      started.process.kill(signal);
      await expect.poll(() => readProcessStart(pid)).toBeNull();
      for (const each of runs) {
        try {
          process.kill(each.pid, "SIGKILL");
        } catch {
          // The process has ended together with the launched client.
        }
      }
      await started.ended;
      if (signal === "SIGTERM")
        expect(
          (await readdir(join(merkle.home, "launch"))).filter((each) => each !== "answers.json"),
        ).toEqual([]);
    }
  });
});
