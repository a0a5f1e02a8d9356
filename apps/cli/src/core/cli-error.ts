import type { ErrorDetails } from "@merkle/wire";

/** The exit codes, by which a command's end tells the program that called it why (CLI-2). */
export const exitCodes = {
  done: 0,
  unexpected: 1,
  usage: 2,
  unreachable: 3,
  refused: 4,
  not_found: 5,
  conflict: 6,
  session_closed: 7,
  verification_failed: 8,
  foreign_page: 9,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

interface CliErrorOptions {
  readonly exitCode: ExitCode;
  readonly next?: readonly string[];
  readonly details?: ErrorDetails;
  readonly cause?: unknown;
}

/** A command that ends for a reason that its user is told. */
export class CliError extends Error {
  override readonly name = "CliError";
  /** For programs: which reason it was. */
  readonly code: string;
  readonly exitCode: ExitCode;
  /** Advice, each a command or a short advice. */
  readonly next: readonly string[];
  /** The broker's details beside its sentence, for programs. */
  readonly details: ErrorDetails;

  constructor(code: string, message: string, { exitCode, next = [], details = {}, cause }: CliErrorOptions) {
    super(message, { cause });
    this.code = code;
    this.exitCode = exitCode;
    this.next = next;
    this.details = details;
  }
}

/** The call itself was wrong: nothing was done. */
export function usageError(message: string, ...next: string[]): CliError {
  return new CliError("usage", message, { exitCode: exitCodes.usage, next });
}

export function interruptedError(): CliError {
  return new CliError("interrupted", "Interrupted.", { exitCode: exitCodes.interrupted });
}
