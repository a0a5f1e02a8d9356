import type { ErrorDetails } from "@merkle/wire";

/** The exit codes that report the kind of failure to the calling program (CLI-2). */
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
  not_witnessed: 10,
  fork: 11,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

interface CliErrorOptions {
  readonly exitCode: ExitCode;
  readonly next?: readonly string[];
  readonly details?: ErrorDetails;
  readonly cause?: unknown;
}

/** An error whose message is shown to the user. */
export class CliError extends Error {
  override readonly name = "CliError";
  /** The kind of error, as a word for programs. */
  readonly code: string;
  readonly exitCode: ExitCode;
  /** Commands or short hints that help the user to continue. */
  readonly next: readonly string[];
  /** Further details from the broker, intended for programs. */
  readonly details: ErrorDetails;

  constructor(code: string, message: string, { exitCode, next = [], details = {}, cause }: CliErrorOptions) {
    super(message, { cause });
    this.code = code;
    this.exitCode = exitCode;
    this.next = next;
    this.details = details;
  }
}

/** Returns the error for an invalid call. Such a call has changed nothing. */
export function usageError(message: string, ...next: string[]): CliError {
  return new CliError("usage", message, { exitCode: exitCodes.usage, next });
}

export function interruptedError(): CliError {
  return new CliError("interrupted", "Interrupted.", { exitCode: exitCodes.interrupted });
}
