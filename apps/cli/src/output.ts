import picocolors from "picocolors";
import type { CliError } from "./cli-error.js";
import { type Flags, isSet } from "./flags.js";

/**
 * Where a command's words go: data to stdout, everything else to stderr (CLI-4). With `--json` there is one document on
 * stdout, or one error on stderr, and nothing else.
 */
export interface Output {
  readonly json: boolean;
  /** Whether the user asked to see what goes on inside. */
  readonly verbose: boolean;
  /** What was asked for: the text for people, or the value for programs. */
  show(value: unknown, text: string): void;
  /** A line that is not data: progress, advice. Left out with `--json` and `--quiet`. */
  note(text: string): void;
  error(error: CliError): void;
  readonly mark: Readonly<Record<Mark, string>>;
  /** Stands between things in one line. */
  readonly dot: string;
  dim(text: string): string;
}

export type Mark = "ok" | "warn" | "fail" | "skip";

interface Terminal {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: NodeJS.ProcessEnv;
}

export function createOutput(flags: Flags, { stdout, stderr, env }: Terminal = process): Output {
  const json = isSet(flags, "json");
  const quiet = isSet(flags, "quiet");
  const colour = flags["color"] !== false && !env["NO_COLOR"] && env["TERM"] !== "dumb";
  const onStdout = picocolors.createColors(colour && stdout.isTTY === true);
  const onStderr = picocolors.createColors(colour && stderr.isTTY === true);
  const words = showsUnicode(env)
    ? { ok: "✓", warn: "!", fail: "✗", dot: "·" }
    : { ok: "ok", warn: "warn", fail: "fail", dot: "-" };

  return {
    json,
    verbose: isSet(flags, "verbose"),
    show(value, text) {
      stdout.write(json ? `${JSON.stringify(value)}\n` : `${text}\n`);
    },
    note(text) {
      if (!json && !quiet) stderr.write(`${text}\n`);
    },
    error({ code, message, next }) {
      if (json) {
        stderr.write(`${JSON.stringify({ error: { code, message, next: next.join(" · ") || null } })}\n`);
        return;
      }
      stderr.write(`${onStderr.red(words.fail)} ${message}\n`);
      if (next.length > 0) stderr.write(`    try: ${next.join(`   ${words.dot}   `)}\n`);
    },
    mark: {
      ok: onStdout.green(words.ok),
      warn: onStdout.yellow(words.warn),
      fail: onStdout.red(words.fail),
      skip: onStdout.dim("skipped"),
    },
    dot: words.dot,
    dim: onStdout.dim,
  };
}

/** A locale that names another encoding, and a terminal that knows little, get letters for the marks. */
function showsUnicode(env: NodeJS.ProcessEnv): boolean {
  if (env["TERM"] === "dumb") return false;
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"];
  return !locale || /utf-?8/i.test(locale);
}
