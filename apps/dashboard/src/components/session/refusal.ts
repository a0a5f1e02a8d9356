import { MerkleError } from "@merkle/wire/client";

/** Why something could not be done, for the person who tried. */
export interface Refusal {
  readonly title: string;
  readonly detail: string;
  /** The broker's code, for those who look it up. */
  readonly code: string;
}

export function toRefusal(error: unknown): Refusal {
  if (!(error instanceof MerkleError)) {
    return { title: "This page failed.", detail: String(error), code: "page" };
  }
  return { title: titleOf(error), detail: detailOf(error), code: error.code };
}

function titleOf({ code, details }: MerkleError): string {
  switch (code) {
    case "bad_request":
      return "The broker does not take it like this.";
    case "unauthorized":
      return "The broker does not know this browser's key.";
    case "forbidden":
      return "You may not do this here.";
    case "session_closed":
      return "The session is closed: it can be read, not written.";
    case "session_held":
      return "The session is held.";
    case "budget_spent":
      return "The message budget is spent.";
    case "not_found":
      return "There is nobody and nothing by that name here.";
    case "conflict":
      return "Somebody else was first.";
    case "resync":
      return "The broker's database was restored.";
    case "payload_too_large":
      return "It is too large.";
    case "too_many_requests":
      return "That was too much at once.";
    case "unavailable":
      return details["outcome"] === "unknown"
        ? "The broker did not answer, so it may have been done or not."
        : "The broker does not answer.";
    case "internal":
      return "The broker failed.";
  }
}

function detailOf({ code, message, details }: MerkleError): string {
  switch (code) {
    case "unauthorized":
      return "Under Settings, My name, give your key again or take a new name. What was said under the old one stays.";
    case "too_many_requests": {
      const seconds = details["retry_after_s"];
      return typeof seconds === "number" ? `Try again in ${Math.ceil(seconds)} s.` : message;
    }
    case "unavailable":
      return details["outcome"] === "unknown"
        ? "Try again: if it was done, it is not done a second time."
        : "Nothing was changed. Try again when the page is live.";
    default:
      return message;
  }
}
