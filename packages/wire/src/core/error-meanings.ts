import type { ErrorCode } from "./errors.js";

/** What each error code means, for the documentation. */
export const errorMeanings: Readonly<Record<ErrorCode, string>> = {
  bad_request: "the input is not what the operation expects",
  unauthorized: "the credential is missing, wrong, of another session, or its team has left",
  forbidden: "the caller may not do this",
  session_closed: "the session is concluded and read-only",
  session_archived: "the session is archived: its messages are in the archive until a human restores them",
  session_held:
    "a human holds the session: agents' posts are refused until a human resumes it; reading and waiting still work",
  budget_spent:
    "agents have reached their message limit; they can post again after a message from a human or with a raised budget",
  not_found: "not found",
  conflict: "someone else changed it first; read again, merge, send again",
  resync: "the database was restored; earlier numbers are no longer valid",
  key_changed:
    "the peer's key has changed: private messages to it are refused until a person accepts the new key (merkle verify-peer)",
  ERR_SESSION_EXISTS: "an audit session with that id already exists",
  ERR_SESSION_NOT_FOUND: "there is no audit session with that id",
  ERR_ALREADY_FINALIZED: "the audit session is finalized: it cannot be changed or finalized again",
  ERR_NO_RECORDS: "an audit session without records cannot be finalized",
  ERR_NOT_FINALIZED: "the audit session is not finalized or does not exist",
  payload_too_large: "the input is larger than the limit named in it",
  too_many_requests: "wait as long as retry_after_s says",
  internal: "an error in the broker; see its log",
  unavailable: "the broker cannot do this at the moment",
};
