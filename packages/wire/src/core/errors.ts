/**
 * The complete list of error codes, with each code's HTTP status and whether an unchanged request can succeed
 * later (ERR-1). `errorMeanings` explains the codes. It is a separate file because the dashboard does not
 * need it.
 */
export const errorCodes = {
  bad_request: { status: 400, retry: false },
  unauthorized: { status: 401, retry: false },
  forbidden: { status: 403, retry: false },
  session_closed: { status: 403, retry: false },
  session_archived: { status: 409, retry: false },
  session_held: { status: 403, retry: false },
  budget_spent: { status: 403, retry: false },
  not_found: { status: 404, retry: false },
  conflict: { status: 409, retry: false },
  resync: { status: 409, retry: false },
  key_changed: { status: 409, retry: false },
  ERR_SESSION_EXISTS: { status: 409, retry: false },
  ERR_SESSION_NOT_FOUND: { status: 404, retry: false },
  ERR_ALREADY_FINALIZED: { status: 409, retry: false },
  ERR_NO_RECORDS: { status: 409, retry: false },
  ERR_NOT_FINALIZED: { status: 404, retry: false },
  payload_too_large: { status: 413, retry: false },
  too_many_requests: { status: 429, retry: true },
  internal: { status: 500, retry: false },
  unavailable: { status: 503, retry: true },
} as const satisfies Record<string, { status: number; retry: boolean }>;

export type ErrorCode = keyof typeof errorCodes;

/**
 * Facts about an error, for programs and models. `next` names an operation that helps: over MCP the name of a
 * tool, in the CLI a command (ERR-5).
 */
export type ErrorDetails = Readonly<Record<string, unknown>>;

/** The body of every error reply, on all transports. */
export interface ErrorBody {
  readonly error: { readonly code: ErrorCode; readonly message: string; readonly details: ErrorDetails };
}

/** An error that is reported to the client that made the request. */
export class MerkleError extends Error {
  override readonly name = "MerkleError";
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.details = details;
  }

  get status(): number {
    return errorCodes[this.code].status;
  }

  toBody(): ErrorBody {
    return { error: { code: this.code, message: this.message, details: this.details } };
  }

  /**
   * Parses an error reply. A reply in any other form becomes the error `internal`, whose details contain the
   * reply.
   */
  static fromBody(body: unknown): MerkleError {
    if (isErrorBody(body)) return new MerkleError(body.error.code, body.error.message, body.error.details);
    return new MerkleError("internal", "The broker's error reply is not a Merkle error.", {
      body,
    });
  }
}

function isErrorBody(body: unknown): body is ErrorBody {
  if (typeof body !== "object" || body === null || !("error" in body)) return false;
  const { error } = body;
  if (typeof error !== "object" || error === null || !("code" in error) || !("message" in error))
    return false;
  return typeof error.code === "string" && error.code in errorCodes && typeof error.message === "string";
}
