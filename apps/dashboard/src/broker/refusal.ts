import { type Problem, toProblem } from "./problem";

/** Why an action failed, with advice for the person who tried it. */
export type Refusal = Pick<Problem, "title" | "detail" | "code" | "details">;

export function toRefusal(error: unknown): Refusal {
  const problem = toProblem(error);
  return { ...problem, detail: describeAdvice(problem) };
}

function describeAdvice({ code, detail, details }: Problem): string {
  switch (code) {
    case "unauthorized":
      return "Under Settings, Profile, enter your key again or choose a new name. Your earlier messages stay.";
    case "session_closed":
      return "This session is read-only.";
    case "too_many_requests": {
      const seconds = details["retry_after_s"];
      return typeof seconds === "number" ? `Try again in ${Math.ceil(seconds)} s.` : detail;
    }
    case "unavailable":
      return details["outcome"] === "unknown"
        ? "We couldn't confirm it. Try again; it won't happen twice."
        : "Nothing was changed. Try again once you're reconnected.";
    default:
      return detail;
  }
}
