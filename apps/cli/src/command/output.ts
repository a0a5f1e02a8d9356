import picocolors from "picocolors";
import type { CliError } from "../core/cli-error.js";
import { type Flags, isSet } from "../core/flags.js";
import { writeLine } from "../core/write-line.js";
import { displayWidth } from "../text/table.js";
import { toJson } from "../text/to-json.js";
import { wrapLine } from "../text/wrap-line.js";
import { calledAs, targetOf, toRunnable } from "./called-as.js";
import { columnsOf, type Io, type TextStream } from "./io.js";

/**
 * Where a command's words go: data to stdout, everything else to stderr (CLI-4). With `--json` there is one document on
 * stdout, or one error on stderr, and nothing else.
 */
export interface Output {
  readonly json: boolean;
  /** Whether the user asked to see what goes on inside. */
  readonly verbose: boolean;
  /** Writes the data: the text for people, or the value for programs. */
  show(value: unknown, text: string): void;
  /** A line that is not data: progress, advice. Left out with `--json` and `--quiet`. */
  note(text: string): void;
  /** A document of others: for people `text`, as it is, so that a file it is written to equals it. */
  print(value: unknown, text: string): void;
  error(error: CliError): void;
  /** Writes one line of many, as `writeLine` does. */
  writeLine(line: string): Promise<boolean>;
  /** Whether stdout is a terminal, which text of others must not be able to command. */
  readonly terminal: boolean;
  /** How many columns stdout has; Infinity where nobody looks at it. */
  readonly columns: number;
  readonly mark: Readonly<Record<Mark, string>>;
  /** Stands between things in one line. */
  readonly dot: string;
  readonly signs: Signs;
  dim(text: string): string;
  bold(text: string): string;
  /** The colour of what waits for somebody. */
  alarm(text: string): string;
  /** The colour of the team that joined as the number `index`; the name beside it says the same. */
  teamColour(index: number): (text: string) => string;
  /** A unified diff, its added and removed lines in colour. */
  diff(text: string): string;
}

/** Signs that a plain terminal gets in letters. */
export interface Signs {
  readonly arrow: string;
  readonly minus: string;
  readonly more: string;
  readonly active: string;
  readonly idle: string;
  readonly gone: string;
  /** The sign of something that waits for somebody. */
  readonly blocked: string;
  readonly dnd: string;
  /** The character of a line across the screen. */
  readonly rule: string;
}

type Colours = ReturnType<typeof picocolors.createColors>;

type Mark = "ok" | "warn" | "fail" | "skip";

export function createOutput(
  flags: Flags,
  { stdout, stderr, env }: Pick<Io, "stdout" | "stderr" | "env">,
): Output {
  const json = isSet(flags, "json");
  const quiet = isSet(flags, "quiet");
  const colour = flags["color"] !== false && !env["NO_COLOR"] && env["TERM"] !== "dumb";
  const onStdout = picocolors.createColors(colour && stdout.isTTY === true);
  const onStderr = picocolors.createColors(colour && stderr.isTTY === true);
  const unicode = showsUnicode(env);
  const words = unicode
    ? { ok: "✓", warn: "!", fail: "✗", dot: "·" }
    : { ok: "ok", warn: "warn", fail: "fail", dot: "-" };
  const target = targetOf(flags);
  const runnable = (text: string) =>
    text.includes("merkle ") ? toRunnable(text, { merkle: calledAs(env), target }) : text;
  const teamColours = [
    onStdout.cyan,
    onStdout.magenta,
    onStdout.yellow,
    onStdout.green,
    onStdout.blue,
    onStdout.red,
  ];

  return {
    json,
    verbose: isSet(flags, "verbose"),
    show(value, text) {
      stdout.write(json ? `${toJson(value)}\n` : `${fitted(runnable(text), stdout)}\n`);
    },
    print(value, text) {
      stdout.write(json ? `${toJson(value)}\n` : text);
    },
    note(text) {
      if (!json && !quiet) stderr.write(`${fitted(runnable(text), stderr)}\n`);
    },
    error({ code, message, details, next: commands }) {
      const next = commands.map((command) => runnable(` ${command}`).trim());
      if (json) {
        const advice = next.length > 0 ? { next: next.join(" · ") } : {};
        stderr.write(`${toJson({ error: { code, message, details, ...advice } })}\n`);
        return;
      }
      const sentence = toRunnable(message, { merkle: calledAs(env), target: "" });
      stderr.write(`${fitted(`${onStderr.red(words.fail)} ${sentence}`, stderr)}\n`);
      if (next.length === 0) return;
      const line = `    try: ${next.join(`   ${words.dot}   `)}`;
      const fits = displayWidth(line) <= columnsOf(stderr);
      stderr.write(fits ? `${line}\n` : `    try:\n${next.map((each) => `    ${each}\n`).join("")}`);
    },
    writeLine: (line) => writeLine(line, stdout),
    mark: {
      ok: onStdout.green(words.ok),
      warn: onStdout.yellow(words.warn),
      fail: onStdout.red(words.fail),
      skip: onStdout.dim("skipped"),
    },
    terminal: stdout.isTTY === true,
    get columns() {
      return columnsOf(stdout);
    },
    dot: words.dot,
    signs: unicode ? unicodeSigns : plainSigns,
    dim: onStdout.dim,
    bold: onStdout.bold,
    alarm: onStdout.red,
    teamColour: (index) => teamColours[index % teamColours.length] ?? String,
    diff: (text) => text.replace(/^[-+@].*$/gm, (line) => diffColour(onStdout, line)(line)),
  };
}

/**
 * Sentences broken between words where a terminal would break them anywhere. What may be copied stays in one piece: a line with
 * a command that is no sentence, and a word that is wider than the terminal, such as a link, on a line of its own.
 */
function fitted(text: string, stream: TextStream): string {
  const columns = columnsOf(stream);
  if (columns === Number.POSITIVE_INFINITY) return text;
  return text
    .split("\n")
    .flatMap((line) => {
      if (displayWidth(line) <= columns) return [line];
      if (/(?<![\w./-])merkle [a-z].*[^.]$/.test(line)) return beforeCommands(line, columns);
      const indent = `${/^ */.exec(line)?.[0] ?? ""}  `;
      return wrapLine(line, columns, indent, "whole");
    })
    .join("\n");
}

/** Each command of a line that is too wide on a line of its own, and what stands before the first. */
function beforeCommands(line: string, columns: number): string[] {
  const [, indent = "", words = "", commands = ""] =
    /^(\s*)(.*?)((?<![\w./-])merkle [a-z].*)$/.exec(line) ?? [];
  const parts = commands.split(/ {3}[·-] {3}/);
  if (words === "") return parts.map((each) => indent + each);
  const before = wrapLine(indent + words.trimEnd(), columns, `${indent}  `, "whole");
  // At the end of a sentence that goes on for lines it is one of its words.
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

function diffColour(colours: Colours, line: string): (text: string) => string {
  if (line.startsWith("+++") || line.startsWith("---")) return colours.bold;
  if (line.startsWith("@")) return colours.cyan;
  return line.startsWith("+") ? colours.green : colours.red;
}

/** A locale that names another encoding, and a terminal that knows little, get letters for the marks. */
function showsUnicode(env: NodeJS.ProcessEnv): boolean {
  if (env["TERM"] === "dumb") return false;
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"];
  return !locale || /utf-?8/i.test(locale);
}
