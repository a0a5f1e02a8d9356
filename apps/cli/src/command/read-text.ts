import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { CliError, exitCodes, usageError } from "../core/cli-error.js";
import type { Input, Io } from "./io.js";

interface WantedText {
  /**
   * The value of the argument or flag: the text itself, or `-` for stdin. If omitted, stdin is read unless it
   * is a terminal.
   */
  readonly given: string | undefined;
  /** The text's name in error messages, such as `the text`. */
  readonly name: string;
  /** The command line to suggest in error messages. */
  readonly usage: string;
  readonly bytesMax: number;
  readonly io: Pick<Io, "stdin">;
  readonly signal: AbortSignal;
}

/** Returns the text given as an argument or on stdin. @throws CliError `usage` if no text is given */
export async function readText({ given, name, usage, bytesMax, io, signal }: WantedText): Promise<string> {
  if (given !== undefined && given !== "-") return given;
  if (given === undefined && io.stdin.isTTY) {
    throw usageError(`Give ${name}, or - to read it from stdin.`, usage);
  }
  const text = await readStdin(io.stdin, { bytesMax, signal });
  if (text.trim() === "") throw usageError(`Give ${name}: stdin was empty.`, usage);
  return text;
}

/** Reads all of stdin as text. Fails once the input exceeds `bytesMax`. */
export async function readStdin(
  stdin: Input,
  { bytesMax, signal }: { readonly bytesMax: number; readonly signal: AbortSignal },
): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const cut = () => stdin.destroy();
  signal.addEventListener("abort", cut, { once: true });
  try {
    for await (const chunk of stdin) {
      const part = Buffer.from(chunk);
      bytes += part.length;
      if (bytes > bytesMax) throw tooLarge(bytesMax);
      chunks.push(part);
    }
  } catch (error) {
    // After an abort, throw the abort's reason instead of the read error that the abort caused.
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener("abort", cut);
  }
  signal.throwIfAborted();
  return decode(Buffer.concat(chunks));
}

export function decode(bytes: Uint8Array, name = "stdin"): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw new CliError("usage", `The input from ${name} is not UTF-8 text.`, {
      exitCode: exitCodes.usage,
      cause: error,
    });
  }
}

function tooLarge(bytesMax: number): CliError {
  return new CliError("payload_too_large", `stdin is longer than ${bytesMax} bytes.`, {
    exitCode: exitCodes.usage,
    details: { bytes_max: bytesMax },
  });
}

/** Reads the text file named by a flag. */
export async function readFileText(
  path: string,
  bytesMax: number,
  { cwd }: Pick<Io, "cwd">,
): Promise<string> {
  const file = resolve(cwd, path);
  try {
    const { size } = await stat(file);
    if (size > bytesMax) throw usageError(`${path} has ${size} bytes; the limit is ${bytesMax}.`);
    return decode(await readFile(file), path);
  } catch (error) {
    if (error instanceof CliError) throw error;
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    if (code !== "ENOENT") throw usageError(`${path} cannot be read (${code}).`);
    throw new CliError("file_missing", `There is no file ${path}.`, {
      exitCode: exitCodes.not_found,
      cause: error,
    });
  }
}
