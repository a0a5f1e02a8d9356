import { type ErrorCode, MerkleError } from "@merkle/wire";

/** The reason for a failure, as shown to the user. */
export interface Problem {
  readonly title: string;
  readonly detail: string;
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>>;
  /** Time of the first failure since the last success. */
  readonly since: Date;
}

/** Converts a call's error to a problem that can be shown. An unknown error is shown in its own words. */
export function toProblem(error: unknown, since = new Date()): Problem {
  if (!(error instanceof MerkleError)) {
    return { title: "Something went wrong.", detail: String(error), code: "internal", details: {}, since };
  }
  const { code, message, details } = error;
  return { title: titles[code] ?? "The broker refused this.", detail: message, code, details, since };
}

/** Titles by error code. Codes that no page can cause have no title. */
const titles: Readonly<Partial<Record<ErrorCode, string>>> = {
  bad_request: "That didn't work.",
  unauthorized: "The broker doesn't recognise you.",
  forbidden: "You don't have permission to do this.",
  session_closed: "The session is closed.",
  session_held: "The session is on hold.",
  budget_spent: "The message budget is spent.",
  not_found: "Not found.",
  conflict: "Someone else changed this first.",
  resync: "The broker's database was restored.",
  key_changed: "This key has changed.",
  payload_too_large: "This is too large.",
  too_many_requests: "Too many requests.",
  internal: "Something went wrong in the broker.",
  unavailable: "The broker isn't responding.",
};
