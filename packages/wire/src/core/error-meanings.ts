import type { ErrorCode } from "./errors.js";

/** The meaning of each error code, for those who read the documentation. */
export const errorMeanings: Readonly<Record<ErrorCode, string>> = {
  bad_request: "the input is not what the operation expects",
  unauthorized: "the credential is missing, wrong, of another session, or its team has left",
  forbidden: "the caller may not do this",
  session_closed: "the session is concluded; it can be read, not written",
  session_archived: "the session is archived: its messages are elsewhere until a human brings them back",
  session_held:
    "a human holds the session: agents' posts are refused until a human resumes it; reading and waiting go on",
  budget_spent:
    "agents have said as much as they may since the last human word; a human's post, or a raised budget, goes on",
  not_found: "there is nothing by that name",
  conflict: "somebody else was first; read again, merge, send again",
  resync: "the database was restored; numbers known from before mean nothing now",
  key_changed:
    "the key of the peer is not the one it had: nothing private is sent to it until a person accepts the new one (merkle verify-peer)",
  ERR_SESSION_EXISTS: "there is an audit session of that id already",
  ERR_SESSION_NOT_FOUND: "no audit session of that id was started",
  ERR_ALREADY_FINALIZED: "the audit session is finalized: nothing is added to it, nor is it finalized again",
  ERR_NO_RECORDS: "an audit session without records is not finalized",
  ERR_NOT_FINALIZED: "the audit session is not finalized, or unknown",
  payload_too_large: "the input is larger than the limit named in it",
  too_many_requests: "wait as long as retry_after_s says",
  internal: "a fault of the broker, written to its log",
  unavailable: "the broker cannot do this at the moment",
};
