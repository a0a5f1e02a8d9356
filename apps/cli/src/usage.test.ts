import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { describe, expect, it } from "vitest";
import { frontCommands } from "./command/front-help.js";
import { createOutput } from "./command/output.js";
import { commandGroups, commands, coreGroups } from "./commands.js";
import { usageError } from "./core/cli-error.js";
import { features } from "./features.js";
import { hasCommand } from "./test-kit/has-command.js";
import { testMerkle } from "./test-kit/merkle.js";
import { startAtTerminal } from "./test-kit/terminal.js";

/** Starts a server that accepts connections and never replies. */
async function listenSilently(): Promise<{ server: Server; url: string }> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return { server, url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}` };
}

/** Returns an address at which no server listens. */
async function findUnusedAddress(): Promise<string> {
  const { server, url } = await listenSilently();
  server.close();
  await once(server, "close");
  return url;
}

describe("the command line", () => {
  it("[CLI-9] help shows twelve commands on one screen, and help --all every command by topic", {
    tags: "long",
  }, async () => {
    const merkle = await testMerkle();
    const front = await merkle.run(["help"]);
    for (const args of [["--help"], []]) expect(await merkle.run(args)).toEqual(front);
    const lines = front.stdout.trimEnd().split("\n");
    expect(lines.length).toBeLessThanOrEqual(20);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(60);
    expect(frontCommands).toHaveLength(12);
    // A build can leave out features with their commands.
    for (const [name] of frontCommands.filter((words) => hasCommand([words[0]])))
      expect(front.stdout).toContain(`  ${name} `);
    const all = await merkle.run(["help", "--all"]);
    expect(await merkle.run(["help", "all"])).toEqual(all);
    for (const { name } of commands) expect(all.stdout).toContain(`  ${name}`);
    for (const { topic, commands: own } of commandGroups) {
      expect(all.stdout).toContain(`(merkle help ${topic}):`);
      const { code, stdout } = await merkle.run(["help", topic]);
      expect(code).toBe(0);
      for (const { name, hidden } of own) if (!hidden) expect(stdout).toContain(`  ${name}`);
    }
    const help = await merkle.run(["help", "config", "set"]);
    expect(help.stdout).toContain("Usage: merkle config set <setting> <value> [flags]");
    expect(await merkle.run(["config", "set", "-h"])).toEqual(help);
  });

  it("[CLI-9] help on a command shows its own flags, and one line for those of every command", async () => {
    const { stdout } = await (await testMerkle()).run(["help", "tail"]);
    expect(stdout).toContain("  --since");
    expect(stdout).not.toContain("  --insecure");
    expect(stdout).toMatch(/\n\nFlags of every command, such as --json: merkle help flags\n$/);
  });

  it("[CLI-9] the exit codes are broken between words, too", { tags: "terminal" }, async () => {
    const { screen } = await startAtTerminal(await testMerkle(), ["help", "flags"]).ended;
    const lines = screen.trimEnd().split("\r\n");
    expect(lines.at(-1)).toMatch(/^[\w, ]*interrupted\.$/);
    for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(80);
  });

  it("[CLI-3] help with --json is data: all commands with their flags, or those of a topic or name", {
    tags: "long",
  }, async () => {
    const merkle = await testMerkle();
    const help = async (...args: string[]) => {
      const { code, stdout, stderr } = await merkle.run([...args, "--json"]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      return JSON.parse(stdout);
    };
    const all = await help("help");
    expect(all.commands.map(({ name }: { name: string }) => name)).toEqual(commands.map(({ name }) => name));
    expect(all.exit_codes).toMatchObject({ done: 0, not_found: 5 });
    for (const args of [["--help"], ["help", "all"], ["help", "environment"]]) {
      expect(await help(...args)).toEqual(all);
    }
    const listNames = async (...args: string[]) =>
      (await help(...args)).commands.map(({ name }: { name: string }) => name);
    expect(await listNames("help", "doc", "show")).toEqual(["doc show"]);
    expect(await listNames("post", "-h")).toEqual(["post"]);
    expect(await listNames("help", "config")).toEqual(await listNames("config", "--help"));
    expect(await listNames("help", "sessions")).toEqual(expect.arrayContaining(["new", "post", "conclude"]));
  });

  it("[CLI-9] every command of the core and of the features is listed; otherwise run `npm run docs`", async () => {
    const entries = await Promise.all(Object.values(features).map(async (load) => (await load()).feature));
    const ofFeatures = entries.flatMap(({ commands }) => commands.flatMap(({ load }) => Object.keys(load)));
    const ofCore = coreGroups.flatMap((group) => Object.keys(group.commands));
    const listed = commandGroups.flatMap((group) => group.commands.map(({ name }) => name));
    expect(listed.toSorted()).toEqual([...ofCore, ...ofFeatures].toSorted());
  });

  it("[CLI-9] a command's description is what stands in its file; otherwise run `npm run docs`", async () => {
    for (const entry of commandGroups.flatMap((group) => group.commands)) {
      const { run, offline, envFiles, asksToTrust, list, ...description } = await entry.load();
      expect({ ...entry, load: undefined, fields: undefined }).toEqual(description);
    }
  });

  it.each([
    [["staus"], "Did you mean status?"],
    [["up", "--prot", "1"], "Did you mean --port?"],
    [["config", "gte", "url"], "Did you mean get?"],
    [["config", "get", "idle_pols"], "Did you mean idle_polls?"],
    [["help", "backpu"], "Did you mean backup?"],
    [["status", "now"], "Too many arguments.*\n    try: merkle help status\n"],
    [["doc", "append", "a", "b", "c"], "Too many arguments.*\n    try: merkle help doc append\n"],
    [
      ["alerts"],
      'There is no command "alerts"\\.\n    try: merkle open .then Settings → Notifications → Push and webhooks',
    ],
    [["up", "--port"], "argument missing"],
    [["config"], "needs one of these commands: get, set, edit, list, path"],
    [["login"], 'There is no command "login"\\.\n    try: merkle join -'],
    [["session", "list"], 'There is no command "session list"\\.\n    try: merkle ls\n'],
    [["help", "recrods"], "Did you mean records?"],
  ])("[CLI-9] merkle %j is told what was meant, exit 2", async (args, advice) => {
    const merkle = await testMerkle();
    expect(await merkle.run(args)).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(new RegExp(`^✗ .*${advice.replace("?", "\\?")}`)),
    });
  });

  it("[CLI-6] names what is missing instead of asking, exit 2", async () => {
    const merkle = await testMerkle();
    const { code, stderr } = await merkle.run(["backup", "--no-input"]);
    expect(code).toBe(2);
    expect(stderr).toContain("Missing required argument 'file'");
  });

  it("[CLI-2] an unreachable broker is exit 3, with what to try", async () => {
    const merkle = await testMerkle();
    const url = await findUnusedAddress();
    const { code, stdout, stderr } = await merkle.run(["status"], { env: { MERKLE_URL: url } });
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(stderr).toBe(
      `✗ can't reach ${url} (refused). The broker is not running, or MERKLE_URL is out of date.\n    try: merkle up   ·   merkle doctor\n`,
    );
  });

  it("[CLI-3] --json puts an error as JSON on stderr, with the same exit code", async () => {
    const merkle = await testMerkle();
    const env = { MERKLE_URL: await findUnusedAddress() };
    for (const [args, code, name] of [
      [["status", "--json"], 3, "unreachable"],
      [["--json", "config", "get", "url"], 3, "unreachable"],
      [["staus", "--json"], 2, "usage"],
    ] as const) {
      const ended = await merkle.run(args, { env });
      expect(ended).toMatchObject({ code, stdout: "" });
      expect(JSON.parse(ended.stderr)).toEqual({
        error: { code: name, message: expect.any(String), details: {}, next: expect.any(String) },
      });
    }
  });

  it("[CLI-4] without a terminal there is no colour, and NO_COLOR changes no word", {
    tags: "long",
  }, async () => {
    const merkle = await testMerkle();
    const plain = await merkle.run(["config", "list", "--local"]);
    expect(plain.stdout).not.toContain("\u001b");
    for (const env of [{ NO_COLOR: "1" }, { FORCE_COLOR: "1" }, { CI: "1" }]) {
      expect(await merkle.run(["config", "list", "--local"], { env })).toEqual(plain);
    }
  });

  it("[CLI-4] colours and marks follow terminal, NO_COLOR, TERM and locale", () => {
    const writeDone = (env: NodeJS.ProcessEnv, isTTY = true) => {
      let text = "";
      const stream = { isTTY, write: (chunk: string) => (text += chunk) } as unknown as NodeJS.WriteStream;
      const output = createOutput({}, { stdout: stream, stderr: stream, env });
      output.show(null, `${output.mark.ok} done ${output.dot} well`);
      return text;
    };
    expect(writeDone({})).toBe("\u001b[32m✓\u001b[39m done · well\n");
    expect(writeDone({}, false)).toBe("✓ done · well\n");
    expect(writeDone({ NO_COLOR: "1" })).toBe("✓ done · well\n");
    expect(writeDone({ TERM: "dumb" })).toBe("ok done - well\n");
    expect(writeDone({ LANG: "C" }, false)).toBe("ok done - well\n");
    expect(writeDone({ LC_ALL: "de_DE.UTF-8", LANG: "C" }, false)).toBe("✓ done · well\n");
  });

  it("[CLI-17] a terminal gets sentences broken between words, and what may be copied in one piece", () => {
    let text = "";
    const write = (chunk: string) => (text += chunk);
    const stream = { isTTY: true, columns: 30, write } as unknown as NodeJS.WriteStream;
    const output = createOutput({ color: false }, { stdout: stream, stderr: stream, env: {} });
    output.note("  a sentence that is longer than thirty columns");
    output.note("next: merkle launch --session a-long-name");
    output.error(
      usageError("Too long a sentence for such a terminal.", "merkle ls --all", "merkle new <title>"),
    );
    output.show(null, "open https://mesh.example.com/sessions/a in a browser");
    output.show(null, "✓ home  /home/ana/.merkle will come by the first merkle up");
    expect(text.split("\n")).toEqual([
      "  a sentence that is longer",
      "    than thirty columns",
      "next:",
      "  merkle launch --session a-long-name",
      "✗ Too long a sentence for such",
      "  a terminal.",
      "    try:",
      "    merkle ls --all",
      "    merkle new <title>",
      "open",
      "  https://mesh.example.com/sessions/a",
      "  in a browser",
      "✓ home  /home/ana/.merkle will",
      "  come by the first merkle up",
      "",
    ]);
  });

  it("[CLI-7] ends with 130 when it is interrupted", async () => {
    const merkle = await testMerkle();
    const { server, url } = await listenSilently();
    const status = merkle.start(["status", "--url", url]);
    const [socket] = await once(server, "connection");
    status.process.kill("SIGINT");
    expect(await status.ended).toMatchObject({ code: 130, stdout: "", stderr: "" });
    socket.destroy();
    server.close();
  });
});
