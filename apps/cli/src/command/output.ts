import picocolors from "picocolors";
import type { CliError } from "../core/cli-error.js";
import { type Flags, isSet } from "../core/flags.js";
import { writeLine } from "../core/write-line.js";
import { displayWidth } from "../text/display-width.js";
import type { MarkdownStyle } from "../text/render-markdown.js";
import { toJson } from "../text/to-json.js";
import { wrapLine } from "../text/wrap-line.js";
import { getColumns, type Io, type TextStream } from "./io.js";
import { formatTargetFlags, getMerkleCommand, toRunnable } from "./merkle-command.js";
import { needsPager } from "./needs-pager.js";

/**
 * A command's output. Data goes to stdout, everything else to stderr (CLI-4). With `--json`, the command
 * writes only one document on stdout or one error on stderr.
 */
export interface Output {
  readonly json: boolean;
  /** Whether the user asked for debug output. */
  readonly verbose: boolean;
  /** Writes the command's result: as text for people, or as JSON with `--json`. */
  show(value: unknown, text: string): void;
  /**
   * Writes the command's result as `show` does, through a pager if the text is longer than the terminal.
   * Resolves when the person has closed the pager.
   */
  page(value: unknown, text: string): Promise<void>;
  /** Writes a line that is not data, such as progress or advice. Hidden with `--json` and `--quiet`. */
  note(text: string): void;
  /** Writes a document unchanged, so that a redirected file is identical to the document. */
  print(value: unknown, text: string): void;
  /** Writes a document as `print` does, through a pager if it is longer than the terminal. */
  pageDocument(value: unknown, text: string): Promise<void>;
  error(error: CliError): void;
  /** Writes one line of many, as described at the function `writeLine`. */
  writeLine(line: string): Promise<boolean>;
  /**
   * Whether stdout is a terminal. If so, text written by others must be printed without control sequences.
   */
  readonly isTerminal: boolean;
  /** The width of stdout in columns. Infinity if stdout is not a terminal. */
  readonly columns: number;
  readonly mark: Readonly<Record<StatusMark, string>>;
  /** The symbol that separates items within a line. */
  readonly dot: string;
  readonly signs: Signs;
  /** How Markdown of messages is rendered. Null where it is printed as it was written. */
  readonly markdown: MarkdownStyle | null;
  dim(text: string): string;
  bold(text: string): string;
  /** Colours text about something that needs a person's attention. */
  alarm(text: string): string;
  /**
   * Returns the function that colours text for a team, where `index` is the team's position in the order of
   * joining. Colour is never the only distinction.
   */
  teamColour(index: number): (text: string) => string;
  /** Colours the added and removed lines of a unified diff. */
  diff(text: string): string;
}

/** Symbols for the output. Terminals without Unicode get ASCII characters. */
export interface Signs {
  readonly arrow: string;
  readonly minus: string;
  readonly more: string;
  readonly active: string;
  readonly idle: string;
  readonly gone: string;
  /** The symbol for something that needs a person's attention. */
  readonly blocked: string;
  readonly dnd: string;
  /** The character for a horizontal line. */
  readonly rule: string;
}

type Colours = ReturnType<typeof picocolors.createColors>;

type StatusMark = "ok" | "warn" | "fail" | "skip";

export function createOutput(
  flags: Flags,
  { stdout, stderr, env, holdInterrupts }: Pick<Io, "stdout" | "stderr" | "env" | "holdInterrupts">,
): Output {
  const json = isSet(flags, "json");
  const isQuiet = isSet(flags, "quiet");
  const hasColour = flags["color"] !== false && !env["NO_COLOR"] && env["TERM"] !== "dumb";
  const onStdout = picocolors.createColors(hasColour && stdout.isTTY === true);
  const onStderr = picocolors.createColors(hasColour && stderr.isTTY === true);
  const hasUnicode = supportsUnicode(env);
  const words = hasUnicode
    ? { ok: "✓", warn: "!", fail: "✗", dot: "·" }
    : { ok: "ok", warn: "warn", fail: "fail", dot: "-" };
  const target = formatTargetFlags(flags);
  const rewriteCommands = (text: string) =>
    text.includes("merkle ") ? toRunnable(text, { merkle: getMerkleCommand(env), target }) : text;
  const teamColours = [
    onStdout.cyan,
    onStdout.magenta,
    onStdout.yellow,
    onStdout.green,
    onStdout.blue,
    onStdout.red,
  ];

  const show = (value: unknown, text: string) => {
    stdout.write(json ? `${toJson(value)}\n` : `${fitToStream(rewriteCommands(text), stdout)}\n`);
  };

  async function pageText(text: string): Promise<void> {
    if (needsPager(text, { flags, stdout, env })) {
      // Loaded on demand, because most texts fit on the terminal.
      const { showInPager } = await import("./pager.js");
      if (await showInPager(text, { env, holdInterrupts })) return;
    }
    stdout.write(text);
  }

  return {
    json,
    verbose: isSet(flags, "verbose"),
    show,
    page: async (value, text) =>
      json ? show(value, text) : pageText(`${fitToStream(rewriteCommands(text), stdout)}\n`),
    pageDocument: async (value, text) => (json ? show(value, text) : pageText(text)),
    print(value, text) {
      stdout.write(json ? `${toJson(value)}\n` : text);
    },
    note(text) {
      if (!json && !isQuiet) stderr.write(`${fitToStream(rewriteCommands(text), stderr)}\n`);
    },
    error({ code, message, details, next: commands }) {
      const next = commands.map((command) => rewriteCommands(` ${command}`).trim());
      if (json) {
        const advice = next.length > 0 ? { next: next.join(" · ") } : {};
        stderr.write(`${toJson({ error: { code, message, details, ...advice } })}\n`);
        return;
      }
      const sentence = toRunnable(message, { merkle: getMerkleCommand(env), target: "" });
      stderr.write(`${fitToStream(`${onStderr.red(words.fail)} ${sentence}`, stderr)}\n`);
      if (next.length === 0) return;
      const line = `    try: ${next.join(`   ${words.dot}   `)}`;
      const fits = displayWidth(line) <= getColumns(stderr);
      stderr.write(fits ? `${line}\n` : `    try:\n${next.map((each) => `    ${each}\n`).join("")}`);
    },
    writeLine: (line) => writeLine(line, stdout),
    mark: {
      ok: onStdout.green(words.ok),
      warn: onStdout.yellow(words.warn),
      fail: onStdout.red(words.fail),
      skip: onStdout.dim("skipped"),
    },
    isTerminal: stdout.isTTY === true,
    get columns() {
      return getColumns(stdout);
    },
    dot: words.dot,
    signs: hasUnicode ? unicodeSigns : plainSigns,
    markdown:
      hasColour && stdout.isTTY === true
        ? {
            bullet: hasUnicode ? "•" : "-",
            bold: onStdout.bold,
            code: onStdout.cyan,
            dim: onStdout.dim,
          }
        : null,
    dim: onStdout.dim,
    bold: onStdout.bold,
    alarm: onStdout.red,
    teamColour: (index) => teamColours[index % teamColours.length] ?? String,
    diff: (text) => text.replace(/^[-+@].*$/gm, (line) => getDiffColour(onStdout, line)(line)),
  };
}

/**
 * Wraps sentences to fit the terminal. Text to be copied is never broken: commands, and words wider than the
 * terminal such as links, get their own line.
 */
function fitToStream(text: string, stream: TextStream): string {
  const columns = getColumns(stream);
  if (columns === Number.POSITIVE_INFINITY) return text;
  return text
    .split("\n")
    .flatMap((line) => {
      if (displayWidth(line) <= columns) return [line];
      if (/(?<![\w./-])merkle [a-z].*[^.]$/.test(line)) return splitAtCommands(line, columns);
      const indent = `${/^ */.exec(line)?.[0] ?? ""}  `;
      return wrapLine(line, columns, indent, "whole");
    })
    .join("\n");
}

/** Splits a long line into the text before its first command, and one line for each command. */
function splitAtCommands(line: string, columns: number): string[] {
  const [, indent = "", words = "", commands = ""] =
    /^(\s*)(.*?)((?<![\w./-])merkle [a-z].*)$/.exec(line) ?? [];
  const parts = commands.split(/ {3}[·-] {3}/);
  if (words === "") return parts.map((each) => indent + each);
  const before = wrapLine(indent + words.trimEnd(), columns, `${indent}  `, "whole");
  // A command at the end of a wrapped sentence may stay on the sentence's last line.
  const last = `${before.at(-1)} ${commands}`;
  if (before.length > 1 && parts.length === 1 && displayWidth(last) <= columns)
    return [...before.slice(0, -1), last];
  return [...before, ...parts.map((each) => `${indent}  ${each}`)];
}

const unicodeSigns: Signs = {
  arrow: "→",
  minus: "−",
  more: "…",
  active: "●",
  idle: "◐",
  gone: "○",
  blocked: "◆",
  dnd: "⊖",
  rule: "─",
};
const plainSigns: Signs = {
  arrow: "->",
  minus: "-",
  more: "...",
  active: "+",
  idle: "~",
  gone: "-",
  blocked: "#",
  dnd: "x",
  rule: "-",
};

function getDiffColour(colours: Colours, line: string): (text: string) => string {
  if (line.startsWith("+++") || line.startsWith("---")) return colours.bold;
  if (line.startsWith("@")) return colours.cyan;
  return line.startsWith("+") ? colours.green : colours.red;
}

/** Returns whether the terminal can show Unicode symbols. Otherwise ASCII characters are used. */
function supportsUnicode(env: NodeJS.ProcessEnv): boolean {
  if (env["TERM"] === "dumb") return false;
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"];
  return !locale || /utf-?8/i.test(locale);
}
