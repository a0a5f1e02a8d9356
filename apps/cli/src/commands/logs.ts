import { type FileHandle, open } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { neutralise } from "@merkle/wire/text";
import type { Command } from "../command/command.js";
import type { Output } from "../command/output.js";
import { CliError, exitCodes, interruptedError, usageError } from "../core/cli-error.js";
import { findFlag, isSet } from "../core/flags.js";
import { homeFiles } from "../core/merkle-home.js";
import { toMoment } from "../text/time.js";
import { wrapLine } from "../text/wrap-line.js";

export const logs: Command = {
  name: "logs",
  summary: "show broker logs (for session messages: merkle tail)",
  flags: [
    { flags: "--lines <number>", summary: "number of lines (default: 50)" },
    { flags: "-f, --follow", summary: "follow new lines until Ctrl+C" },
  ],
  examples: ["merkle logs", "merkle logs -f", "merkle logs --lines 500 --json"],
  offline: true,
  async run({ flags, config, output, signal }) {
    const count = readCount(findFlag(flags, "lines") ?? "50");
    const path = homeFiles.log(config.home);
    const file = await open(path, "r").catch(() => undefined);
    if (!file) throw noLog(path);
    try {
      const { text, end } = await readFrom(file, 0);
      for (const line of splitLines(text).slice(-count)) await print(line, output);
      if (isSet(flags, "follow")) await follow({ file, from: end, output, signal });
    } finally {
      await file.close();
    }
    return exitCodes.done;
  },
};

function readCount(text: string): number {
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw usageError(`--lines must be a whole number from 1, got ${JSON.stringify(text)}.`);
}

const pollIntervalMs = 250;

interface FollowedLog {
  readonly file: FileHandle;
  readonly from: number;
  readonly output: Output;
  readonly signal: AbortSignal;
}

/**
 * Prints new lines until interrupted. Polls the file, and prints each line as soon as its line break has been
 * written.
 */
async function follow({ file, from, output, signal }: FollowedLog): Promise<void> {
  let position = from;
  while (!signal.aborted) {
    await pause(pollIntervalMs, undefined, { signal }).catch(() => undefined);
    const { text, end } = await readFrom(file, position);
    position = end;
    for (const line of splitLines(text)) if (!(await print(line, output))) return;
  }
  throw interruptedError();
}

/** Reads the complete lines from a position on. Returns their text and the position of the next line. */
async function readFrom(file: FileHandle, start: number): Promise<{ text: string; end: number }> {
  const { size } = await file.stat();
  const buffer = Buffer.alloc(Math.max(0, size - start));
  const { bytesRead } = await file.read(buffer, 0, buffer.length, start);
  const end = buffer.subarray(0, bytesRead).lastIndexOf("\n") + 1;
  return { text: buffer.toString("utf8", 0, end), end: start + end };
}

function splitLines(text: string): string[] {
  return text.split("\n").filter((line) => line !== "");
}

/**
 * Prints a line of the log, which is a JSON object. Users see the time, the level, the message and the other
 * fields.
 */
function print(line: string, output: Output): Promise<boolean> {
  if (output.json) return output.writeLine(line);
  try {
    const { at, level, message, ...rest } = Object(JSON.parse(line));
    const facts = Object.entries(rest).map(
      ([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`,
    );
    const paint = level === "info" ? String : output.alarm;
    const text = neutralise([message, ...facts].join("  "));
    const shown = `${output.dim(toMoment(String(at)))} ${paint(String(level).padEnd(5))} ${text}`;
    return output.writeLine(wrapLine(shown, output.columns, "      ").join("\n"));
  } catch {
    // If a line is not a JSON log entry, print it unchanged.
    return output.writeLine(neutralise(line));
  }
}

function noLog(path: string): CliError {
  return new CliError("not_found", `No broker of this home has written a log (${path}).`, {
    exitCode: exitCodes.not_found,
    next: ["merkle up", "merkle tail <session>"],
  });
}
