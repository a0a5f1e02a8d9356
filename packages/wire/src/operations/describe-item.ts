import { describeRequest } from "../text/agent-requests.js";
import { shortenAddress } from "../text/neutralise.js";
import type { AlertKind, AttentionItem } from "./attention.js";
import { isQuestion } from "./is-question.js";

/**
 * The description of an item, in three parts that can be styled separately: who it comes from, what it is
 * about, and a quote.
 */
export interface ItemDescription {
  readonly who: string | null;
  readonly what: string;
  readonly quote: string | null;
}

export function describeItem(item: AttentionItem): ItemDescription {
  const description = describeCause(item);
  // Approvals, proposals and reviews wait by their nature, and their age is shown.
  return isQuestion(item) && item.unanswered
    ? { ...description, what: `${description.what} (unanswered)` }
    : description;
}

function describeCause(item: AttentionItem): ItemDescription {
  const { kind, number, team, peer, text, needs_person } = item;
  const isNamedTwice = team !== null && peer?.toLowerCase() === team.toLowerCase();
  // `team` may already contain `team/peer`, depending on the kind of item.
  const whole = team === null ? null : shortenAddress(team);
  const who = team !== null && peer !== null && !isNamedTwice ? `${peer} of ${team}` : (whole ?? peer);
  const quote = text === "" ? null : text;
  switch (kind) {
    case "approval":
      return { who: whole, what: describeRequest(text), quote: null };
    case "ask":
      return { who, what: "asks", quote };
    case "proposal":
      return { who, what: `${who === null ? "Proposal" : "made proposal"} ${number}, ${text}`, quote: null };
    case "job_failed":
      return { who: null, what: `Job ${number} could not ${describeFailedJob(text)}`, quote: null };
    case "in_review":
      return {
        who: whole,
        what: `did task ${number}, which ${needs_person ? "needs your review" : "an agent reviews"}`,
        quote,
      };
    case "handed_back":
      return {
        who: null,
        what: `${number === null ? "A claim" : `Task ${number}`}${whole === null ? "" : ` of ${whole}`} was returned`,
        quote,
      };
    case "blocked":
      return { who, what: isQuestion(item) ? "is blocked and asks" : "is blocked", quote };
    case "held":
      return { who, what: who === null ? "Held: agents cannot post" : "holds it: agents cannot post", quote };
    case "budget_spent":
      return { who: null, what: "Message limit reached. Reply or raise the limit", quote: null };
    case "budget_near":
      return { who: null, what: "A token budget is nearly used up", quote };
    case "quiet":
      return { who: null, what: "No activity", quote: null };
    case "undelivered":
      return {
        who: null,
        what: number === 1 ? "A message is undelivered" : `${number} messages are undelivered`,
        quote: null,
      };
    case "quota_near":
      return { who: null, what: "A quota of the mesh is nearly used up", quote };
  }
}

const jobPurposes: Readonly<Record<string, string>> = {
  conclude: "draft the conclusion",
  incorporate: "rewrite the text for its comment",
  perspective: "read the text",
};

/** Describes a failed job by its kind and the reason for the failure. */
function describeFailedJob(text: string): string {
  const [, kind = "", why = text] = /^([a-z]+): (.*)$/s.exec(text) ?? [];
  return `${jobPurposes[kind] ?? kind}: ${why}`;
}

/** Describes, in one sentence, an item that waits for a human. */
export function formatItemSentence(item: AttentionItem): string {
  const { who, what, quote } = describeItem(item);
  const sentence = who === null ? what : `${who} ${what}`;
  return quote === null ? sentence : `${sentence}: “${quote}”`;
}

/** A description of each kind of alert. A person can turn each kind on or off. */
export const alertReasons: Readonly<Record<AlertKind, string>> = {
  approval: "An agent needs your permission or an answer",
  ask: "An agent asks a question, or one of yours gets no reply",
  proposal: "New proposal",
  job_failed: "An agent's job has failed",
  in_review: "A task needs review",
  handed_back: "A task was returned because its agent went offline",
  blocked: "An agent is blocked",
  held: "A session is held",
  budget_spent: "Agents have reached their message limit",
  budget_near: "Agents have nearly used up their tokens",
  quiet: "A session has gone quiet",
  undelivered: "A message is undelivered for hours",
  quota_near: "A quota of the mesh is nearly used up",
  concluded: "A session is concluded",
};

/** A short label for each kind of item. */
export const kindLabels: Readonly<Record<AttentionItem["kind"], string>> = {
  approval: "Approval",
  ask: "Ask",
  proposal: "Proposal",
  job_failed: "Job failed",
  in_review: "In review",
  handed_back: "Returned",
  blocked: "Blocked",
  held: "Held",
  budget_spent: "Budget spent",
  budget_near: "Budget nearly used",
  quiet: "Quiet",
  undelivered: "Undelivered",
  quota_near: "Quota nearly used",
};
