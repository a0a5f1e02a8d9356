import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { hints } from "../apps/cli/src/command/hints.js";
import { separateFields } from "../apps/cli/src/command/json-fields.js";
import { createProgram, markDashedText } from "../apps/cli/src/command/program.js";
import { commandGroups } from "../apps/cli/src/commands.js";
import { CliError } from "../apps/cli/src/core/cli-error.js";
import { installTestClaude } from "../apps/cli/src/test-kit/claude.js";
import type { CommandResult } from "../apps/cli/src/test-kit/merkle.js";
import { setUpSharedMerkle } from "../apps/cli/src/test-kit/shared-merkle.js";
import { listConnectionSnippets } from "../apps/dashboard/src/views/connection/snippets.js";
import { toLaunchLine } from "../packages/wire/src/text/command-lines.js";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Values for the placeholders in printed commands. */
const fillings: Readonly<Record<string, string>> = {
  "<command>": "tail",
  "<session>": "auth-refactor",
  "<url>": "http://localhost:1",
  "<number>": "1",
  "<who>": "@humans",
  "<answer>": "yes",
  "<topic>": "flags",
};

function fill(command: string): string {
  return command.replace(/<[a-z ]+>/g, (name) => fillings[name] ?? "words");
}

/** Splits a command into words as a shell would. A placeholder counts as one word. */
function wordsOf(command: string): string[] {
  const words = fill(command).match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
  return words.map((word) => word.replace(/["']/g, ""));
}

/** Takes what the parser prints, such as the page of a printed `merkle help`. */
const unread = new PassThrough().resume();

/** Parses a command without running it. Returns the parser's error message, if any. */
async function parseProblem(command: string): Promise<string | undefined> {
  const commands = commandGroups.flatMap((group) => group.commands);
  const argv = separateFields(markDashedText(wordsOf(command).slice(1)), commands);
  try {
    await createProgram(commandGroups, {
      variables: [],
      argv,
      stdout: unread,
      run: async () => undefined,
    }).parseAsync(argv, {
      from: "user",
    });
    return undefined;
  } catch (error) {
    return error instanceof CliError ? error.message : undefined;
  }
}

const sources = [
  "apps/cli/src",
  "apps/broker/src",
  "apps/dashboard/src",
  "packages/db/src",
  "packages/wire/src",
];

/** Returns every command that the product prints, i.e. each string that begins with `merkle` and a word. */
async function listPrintedCommands(): Promise<{ file: string; command: string }[]> {
  const found: { file: string; command: string }[] = [];
  for (const folder of sources) {
    for (const name of await readdir(join(root, folder), { recursive: true })) {
      if (!/\.tsx?$/.test(name) || /\.test\.|test-kit|command-descriptions/.test(name)) continue;
      const text = await readFile(join(root, folder, name), "utf8");
      for (const command of commandsIn(text)) found.push({ file: join(folder, name), command });
    }
  }
  return found;
}

function commandsIn(text: string): string[] {
  const code = text.replace(/^\s*(?:\*|\/\/|\/\*).*$/gm, "");
  const literals = code.matchAll(/(["'`>])(merkle [a-z](?:\\.|(?!\1|<\/)[^\n\\])*)/g);
  return [...literals].flatMap(([, , literal = ""]) =>
    withoutVariables(literal)
      .replace(/\\(["'`])/g, "$1")
      .replace(endOfCommand, "")
      .trim(),
  );
}

/** Matches the text after a command, such as a redirection or an explanation. Quoted text belongs to the command. */
const endOfCommand =
  /(?: [|<>] | \(|, |\. |[:;](?: |$)|\.$|\\n| ?· | (?:where|on|when|shows|has|lists|does|stops|writes|needs) )(?=(?:[^"]*"[^"]*")*[^"]*$).*/s;

/**
 * Replaces the variables in a template literal. A variable between spaces becomes a word, and a variable attached to a
 * word becomes empty.
 */
function withoutVariables(literal: string): string {
  let text = literal;
  for (let before = ""; before !== text; ) {
    before = text;
    text = text
      .replace(/(?<=\s)\$\{verb\}/g, "accept")
      .replace(/(?<=\s|^)\$\{[^{}]*\}/g, "1")
      .replace(/\$\{[^{}]*\}/g, "");
  }
  return text;
}

/**
 * Strings that look like commands but are not: labels, key prefixes, commands for jobs, and help on a variable topic.
 */
const noCommands =
  /^merkle (?:cli|for|safety|person|approval|box|secret|vapid|start|key|is|ended|needs|cannot|knows|takes|agent|help 1|service knows|join -\\|secret|1)\b|`/i;

describe("the commands that the product prints", () => {
  it("[CLI-143] each is one that the parser takes: command, arguments and flags", async () => {
    const printed = await listPrintedCommands();
    const commands = printed.filter(({ command }) => !noCommands.test(command));
    expect(commands.length).toBeGreaterThan(100);
    const problems: string[] = [];
    for (const { file, command } of commands) {
      const problem = await parseProblem(command);
      // A sentence may name a command without its required arguments.
      if (problem !== undefined && !problem.startsWith("Missing"))
        problems.push(`${file}: ${command}: ${problem}`);
    }
    expect(problems).toEqual([]);
  });
});

describe("in an empty folder, by a user who installed merkle", { tags: "posix" }, () => {
  const merkle = setUpSharedMerkle();
  let home = "";
  let env: Record<string, string> = {};
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), "merkle-reader-"));
    const bin = await installTestClaude(home);
    for (const name of ["codex", "gemini", "opencode", "copilot", "cursor-agent"]) {
      await writeFile(join(bin, name), "#!/bin/sh\necho 9.9.9\n");
      await chmod(join(bin, name), 0o755);
    }
    env = {
      PATH: `${join(home, ".local/bin")}:${bin}:${process.env["PATH"]}`,
      HOME: home,
      MERKLE_HOME: join(home, ".merkle"),
      TEST_RECORD: join(home, "claude.json"),
      TEST_END: "0",
    };
    await mkdir(join(home, "project"));
    const { url } = await merkle.readRunFile();
    const install = `'${process.execPath}' '${inject("program")}'`;
    await inShell(`${install} install --cli && ${install} config set url '${url}' --local`);
    await inShell('merkle new "Auth refactor"');
    return () => rm(home, { recursive: true, force: true });
  });

  function inShell(line: string) {
    return promisify(execFile)("sh", ["-c", `exec </dev/null; ${line}`], { cwd: join(home, "project"), env });
  }

  /**
   * Expands a line as a shell would and runs the resulting command in this process. Fails if the parser rejects the
   * command.
   */
  async function type(line: string): Promise<CommandResult> {
    const { stdout: words } = await inShell(`printf '%s\\0' ${line}`);
    const [program, ...args] = words.split("\0").slice(0, -1);
    expect(program, line).toBe("merkle");
    const ended = await merkle.run(args, { env, cwd: join(home, "project") });
    expect(ended.stderr, line).not.toMatch(
      /unknown option|unknown command|There is no command|missing argument|too many/,
    );
    return ended;
  }

  it("[CLI-143] every line of the pages and of /agents.md runs", async () => {
    const { url } = await merkle.readRunFile();
    const page = await (await fetch(`${url}/agents.md`)).text();
    const shown = [
      ...listConnectionSnippets({ base: url, mcp: `${url}/api/mcp` }).map(({ text }) => text),
      // The command that an invite's page shows.
      `merkle join -\n${toLaunchLine({ session: "auth-refactor", team: "Ben's Team" })}`,
      toLaunchLine({ title: "Auth refactor", client: "codex" }),
      ...[...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, script = ""]) => script),
    ];
    const lines = new Set(
      shown.flatMap((text) => text.split("\n")).filter((line) => line.startsWith("merkle ")),
    );
    expect(lines.size).toBeGreaterThan(8);
    for (const line of lines) {
      const { code, stderr } = await type(line);
      // These commands prompt for an invite, a team or a confirmation, and fail without a terminal.
      const refused = /^merkle join -$|^merkle install|--new/.test(line);
      expect({ line, code, stderr }).toMatchObject({ line, code: refused ? 2 : 0 });
    }
  });

  it("[CLI-143] so does what errors and commands advise", async () => {
    const lines = [
      "merkle show nothing",
      "merkle launch",
      "merkle peers auth-refactor",
      "merkle conclude nothing --summary x",
      "merkle sessions",
      "merkle doc accept auth-refactor 1",
      "merkle verify-peer nobody --session auth-refactor",
      "merkle mesh create other",
    ];
    const advised = new Set<string>();
    for (const line of lines) {
      const { stderr } = await merkle.run(wordsOf(line).slice(1), { env, cwd: join(home, "project") });
      for (const [, command = ""] of stderr.matchAll(/(?:try: +|next: +|· +|^ {4})(merkle [^\n·]*)/gm))
        advised.add(fill(command.trim()));
    }
    expect(advised.size).toBeGreaterThan(4);
    for (const line of advised) await type(line);
  });

  it("[CLI-143] words of other programs lead to commands that run", { tags: "long" }, async () => {
    const advised = new Set(
      Object.values(hints)
        .flat()
        .map((hint) => fill(hint.replace(/ \(.*/, ""))),
    );
    for (const line of advised) {
      if (!/^merkle (?:up|down|tail|watch|open|launch)\b/.test(line)) await type(line);
    }
  });
});
