/**
 * The closed list of error codes: what each means, its HTTP status, and whether the same request can succeed later
 * without being changed (ERR-1).
 */
export const errorCodes = {
  bad_request: { status: 400, retry: false, meaning: "the input is not what the operation expects" },
  unauthorized: {
    status: 401,
    retry: false,
    meaning: "the credential is missing, wrong, of another session, or its team has left",
  },
  forbidden: { status: 403, retry: false, meaning: "the caller may not do this" },
  session_closed: {
    status: 403,
    retry: false,
    meaning: "the session is concluded; it can be read, not written",
  },
  session_held: {
    status: 403,
    retry: false,
    meaning:
      "a human holds the session: agents' posts are refused until a human resumes it; reading and waiting go on",
  },
  budget_spent: {
    status: 403,
    retry: false,
    meaning:
      "agents have said as much as they may since the last human word; a human's post, or a raised budget, goes on",
  },
  not_found: { status: 404, retry: false, meaning: "there is nothing by that name" },
  conflict: { status: 409, retry: false, meaning: "somebody else was first; read again, merge, send again" },
  resync: {
    status: 409,
    retry: false,
    meaning: "the database was restored; numbers known from before mean nothing now",
  },
  key_changed: {
    status: 409,
    retry: false,
    meaning:
      "the key of the peer is not the one it had: nothing private is sent to it until a person accepts the new one (merkle verify-peer)",
  },
  ERR_SESSION_EXISTS: { status: 409, retry: false, meaning: "there is an audit session of that id already" },
  ERR_SESSION_NOT_FOUND: { status: 404, retry: false, meaning: "no audit session of that id was started" },
  ERR_ALREADY_FINALIZED: {
    status: 409,
    retry: false,
    meaning: "the audit session is finalized: nothing is added to it, nor is it finalized again",
  },
  ERR_NO_RECORDS: { status: 409, retry: false, meaning: "an audit session without records is not finalized" },
  ERR_NOT_FINALIZED: { status: 404, retry: false, meaning: "the audit session is not finalized, or unknown" },
  payload_too_large: { status: 413, retry: false, meaning: "the input is larger than the limit named in it" },
  too_many_requests: { status: 429, retry: true, meaning: "wait as long as retry_after_s says" },
  internal: { status: 500, retry: false, meaning: "a fault of the broker, written to its log" },
  unavailable: { status: 503, retry: true, meaning: "the broker cannot do this at the moment" },
} as const satisfies Record<string, { status: number; retry: boolean; meaning: string }>;

export type ErrorCode = keyof typeof errorCodes;

export type ErrorDetails = Readonly<Record<string, unknown>>;

/** What stands in every failed answer, whatever the door. */
export interface ErrorBody {
  readonly error: { readonly code: ErrorCode; readonly message: string; readonly details: ErrorDetails };
}

/** A request that failed for a reason that its caller is told. */
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

  /** Reads a failed answer; an answer of another shape becomes `internal`, with what came in the details. */
  static fromBody(body: unknown): MerkleError {
    if (isErrorBody(body)) return new MerkleError(body.error.code, body.error.message, body.error.details);
    return new MerkleError("internal", "The broker answered with something that is no Merkle error.", {
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
