import { parseArgs } from "node:util";
import { neutralise, toNeutralJson } from "@merkle/wire/text";
import type { Io } from "../../../command/io.js";
import { readStdin } from "../../../command/read-text.js";
import { type CliError, interruptedError, usageError } from "../../../core/cli-error.js";
import { explainError } from "../../../core/explain-error.js";
import { openJobClient } from "./job-client.js";
import type { Verb, VerbOptions } from "./verb.js";
import { verbs } from "./verbs.js";

interface AgentProcess {
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

/**
 * Runs `merkle agent …`, the only command that a job's agent may run. Prints the result as JSON on stdout, or
 * an error as JSON on stderr, and returns the exit code (AGENT-1).
 */
export async function runForAgent(argv: readonly string[], io: Io, signal: AbortSignal): Promise<number> {
  try {
    const readStdinText = async (bytesMax: number) => {
      return io.stdin.isTTY ? "" : readStdin(io.stdin, { bytesMax, signal });
    };
    const result = await performForAgent(argv, { env: io.env, signal, readStdin: readStdinText });
    io.stdout.write(`${formatResult(result)}\n`);
    return 0;
  } catch (error) {
    const cliError = signal.aborted ? interruptedError() : explainError(error);
    io.stderr.write(`${formatResult({ error: toAnswer(cliError) })}\n`);
    return cliError.exitCode;
  }
}

/**
 * Runs a subcommand of `merkle agent` without using the process's streams.
 *
 * @throws CliError, MerkleError
 */
export async function performForAgent(
  argv: readonly string[],
  { env, signal, readStdin }: AgentProcess & { readStdin(bytesMax: number): Promise<string> },
): Promise<object> {
  const { verb, options } = readArguments(argv);
  const readText = async (bytesMax: number) => {
    const text = await readStdin(bytesMax);
    if (text.trim() === "")
      throw usageError(`Expected the text on stdin, but stdin was empty. ${formatUsage(verb)}`);
    return options.isSet("braces") ? restoreBraces(text) : text;
  };
  return verb.run({ client: openJobClient(env, signal), options, readText });
}

/**
 * Replaces placeholders with braces. Agents must write placeholders, because Claude Code denies a command
 * whose stdin contains braces and quotation marks, as JSON and much code do (AGENT-9).
 */
function restoreBraces(text: string): string {
  return text.replaceAll("\u2983", "{").replaceAll("\u2984", "}");
}

function toAnswer({ code, message, details, next }: CliError): object {
  return { code, message: neutralise(message), details, ...(next.length > 0 && { next }) };
}

function readArguments([name, ...rest]: readonly string[]): { verb: Verb; options: VerbOptions } {
  const verb = verbs.find((each) => each.name === name);
  if (!verb) {
    const given = name === undefined ? "nothing" : JSON.stringify(name);
    const known = verbs.map((each) => each.name).join(", ");
    throw usageError(`merkle agent accepts ${known}, got ${given}.`);
  }
  try {
    const { values } = parseArgs({
      args: rest,
      options: verb.options,
      strict: true,
      allowPositionals: false,
    });
    return { verb, options: toOptions(values, verb) };
  } catch (error) {
    const message =
      error instanceof Error ? error.message.replace(/\.? To specify a positional.*$/s, ".") : "";
    throw usageError(`${message} ${formatUsage(verb)}`);
  }
}

function toOptions(values: Readonly<Record<string, string | boolean | undefined>>, verb: Verb): VerbOptions {
  const missing = (name: string) => usageError(`--${name} is missing. ${formatUsage(verb)}`);
  const findText = (name: string) => {
    const value = values[name];
    return typeof value === "string" ? value : undefined;
  };
  const findNumber = (name: string) => {
    const value = findText(name);
    if (value === undefined || /^\d{1,15}$/.test(value))
      return value === undefined ? undefined : Number(value);
    throw usageError(`--${name} must be a whole number, got ${JSON.stringify(value)}. ${formatUsage(verb)}`);
  };
  return {
    findText,
    findNumber,
    getText(name) {
      const value = findText(name);
      if (value === undefined) throw missing(name);
      return value;
    },
    getNumber(name) {
      const value = findNumber(name);
      if (value === undefined) throw missing(name);
      return value;
    },
    isSet: (name) => values[name] === true,
  };
}

function formatUsage({ name, usage }: Verb): string {
  return `Usage: merkle agent ${name} ${usage}`.trimEnd();
}

/**
 * Formats JSON for an agent, with each list entry on its own line. Text written by others is inside JSON
 * strings, from which it cannot break out (TEXT-1).
 */
export function formatResult(result: object): string {
  const fields = Object.entries(result).filter(([, value]) => value !== undefined);
  return `{${fields.map(([name, value]) => `${JSON.stringify(name)}: ${formatField(value)}`).join(",\n ")}}`;
}

function formatField(value: unknown): string {
  if (!Array.isArray(value) || value.length === 0) return toNeutralJson(value);
  return `[\n  ${value.map((each) => toNeutralJson(each)).join(",\n  ")}]`;
}
