import { type AttentionItem, isQuestion } from "@merkle/wire";
import { describeRequest } from "@merkle/wire/text";
import { formatPeerAddress } from "../sessions/peer-names.js";
import { toOneLine } from "../text/one-line.js";
import { toShellWord } from "../text/shell.js";
import { toAge } from "../text/time.js";

/** An item in a session that waits for a human. */
export type AttentionNeed =
  | {
      readonly kind: "ask";
      readonly message: number;
      readonly from: string;
      readonly text: string;
      readonly options: readonly string[];
      readonly at: string;
      readonly unanswered: boolean;
    }
  | {
      readonly kind: "approval";
      readonly approval: number;
      readonly from: string;
      readonly tool: string;
      readonly at: string;
      readonly unanswered: boolean;
    }
  | {
      readonly kind: "blocked";
      readonly team: string;
      readonly peer: string | null;
      readonly reason: string | null;
      /** What the peer asks people. Null if it has no open question. */
      readonly ask: {
        readonly message: number;
        readonly text: string;
        readonly options: readonly string[];
      } | null;
      readonly at: string;
    }
  | {
      readonly kind: "proposal";
      readonly proposal: number;
      /** The author of the proposal. Null if an agent proposed it. */
      readonly from: string | null;
      readonly text: string;
      readonly at: string;
      readonly unanswered: boolean;
    }
  | { readonly kind: "job_failed"; readonly job: number; readonly text: string; readonly at: string }
  | {
      readonly kind: "in_review" | "handed_back";
      /** The number of the released task. Null if a claim was released. */
      readonly task: number | null;
      readonly from: string;
      readonly text: string;
      readonly at: string;
      readonly unanswered: boolean;
    }
  | { readonly kind: "held"; readonly by: string; readonly reason: string | null; readonly at: string }
  | { readonly kind: "budget_near" | "quota_near"; readonly text: string; readonly at: string }
  | { readonly kind: "budget_spent" | "quiet"; readonly at: string }
  | {
      readonly kind: "undelivered";
      readonly messages: number;
      readonly first: number;
      readonly at: string;
    };

/** Converts an attention item to a need with the fields of its kind. */
export function toNeed(item: AttentionItem): AttentionNeed {
  const { kind, peer, text, options, since: at, unanswered } = item;
  const team = item.team ?? "";
  const reason = text === "" ? null : text;
  switch (kind) {
    case "ask": {
      const from = peer === null ? team : `${team}/${peer}`;
      return { kind, message: item.sequence ?? 0, from, text, options, at, unanswered };
    }
    case "approval":
      return { kind, approval: item.number ?? 0, from: team, tool: text, at, unanswered };
    case "proposal":
      return { kind, proposal: item.number ?? 0, from: item.team, text, at, unanswered };
    case "job_failed":
      return { kind, job: item.number ?? 0, text, at };
    case "in_review":
    case "handed_back":
      return { kind, task: item.number, from: team, text, at, unanswered };
    case "blocked": {
      if (!isQuestion(item)) return { kind, team, peer, reason, ask: null, at };
      const ask = { message: item.sequence ?? 0, text, options };
      return { kind, team, peer, reason: item.blocked_reason || null, ask, at };
    }
    case "held":
      return { kind, by: team, reason, at };
    case "budget_near":
    case "quota_near":
      return { kind, text, at };
    case "budget_spent":
    case "quiet":
      return { kind, at };
    case "undelivered":
      return { kind, messages: item.number ?? 0, first: item.sequence ?? 0, at };
  }
}

/** Formats a need as one line, such as `Cedar asks "Which staging key?" [1 vault] [2 new] #405 6m ago`. */
export function formatNeed(need: AttentionNeed): string {
  switch (need.kind) {
    case "ask":
      return `${toOneLine(need.from)} ${formatAsk(need)}${formatAskAge(need)}`;
    case "approval":
      return `${toOneLine(need.from)} ${toOneLine(describeRequest(need.tool))}, approval ${need.approval}, ${formatWait(need)}`;
    case "proposal": {
      const from = need.from === null ? "" : ` from ${toOneLine(need.from)}`;
      return `proposal ${need.proposal}${from}, ${toOneLine(need.text)}, ${formatWait(need)}`;
    }
    case "job_failed":
      return `job ${need.job} ${toOneLine(need.text)} ${toAge(need.at)} ago`;
    case "in_review":
      return `task ${need.task} is in review, done by ${toOneLine(need.from)}, ${formatWait(need)}: ${toOneLine(need.text)}`;
    case "handed_back": {
      const what = need.task === null ? "a claim" : `task ${need.task}`;
      const whose = need.from === "" ? "" : ` of ${toOneLine(need.from)}`;
      return `${what}${whose} was returned ${toAge(need.at)} ago: ${toOneLine(need.text)}`;
    }
    case "blocked":
      return `${formatPeerAddress(need.team, need.peer)} is blocked ${toAge(need.at)}${need.ask === null ? "" : ` and ${formatAsk(need.ask)}`}${need.reason === null ? "" : `: ${toOneLine(need.reason)}`}`;
    case "held":
      return `held by ${toOneLine(need.by)} ${toAge(need.at)}${need.reason === null ? "" : `: ${toOneLine(need.reason)}`}`;
    case "budget_spent":
      return `agents have reached their message limit, ${toAge(need.at)} ago`;
    case "budget_near":
      return `a token budget is nearly used up, ${toAge(need.at)} ago: ${toOneLine(need.text)}`;
    case "quota_near":
      return `a quota of the mesh is nearly used up: ${toOneLine(need.text)}`;
    case "quiet":
      return `no one has posted or checked for messages for ${toAge(need.at)}`;
    case "undelivered":
      return need.messages === 1
        ? `message #${need.first} is undelivered for ${toAge(need.at)}`
        : `${need.messages} messages are undelivered, the first, #${need.first}, for ${toAge(need.at)}`;
  }
}

/** Formats a question, such as `asks "Which staging key?" [1 vault] [2 new] #405`. */
function formatAsk(ask: { message: number; text: string; options: readonly string[] }): string {
  const options = ask.options.map((option, index) => ` [${index + 1} ${toOneLine(option)}]`).join("");
  return `asks ${JSON.stringify(toOneLine(ask.text))}${options} #${ask.message}`;
}

/** Formats the age of an ask: ` 6m ago`, or `, unanswered for 12m` if no one has replied for too long. */
function formatAskAge({ at, unanswered }: { readonly at: string; readonly unanswered: boolean }): string {
  return unanswered ? `, unanswered for ${toAge(at)}` : ` ${toAge(at)} ago`;
}

/** Formats how long a decision has waited. Decisions wait by their nature, so none is called unanswered. */
function formatWait({ at }: { readonly at: string }): string {
  return `waits ${toAge(at)}`;
}

/**
 * Returns the command that resolves a need.
 *
 * @param slug - the session's slug; null for needs of a file or the mesh
 */
export function formatNeedAdvice(need: AttentionNeed, slug: string | null): string {
  switch (need.kind) {
    case "ask":
      return formatAnswerAdvice(slug, need.message);
    case "approval":
      return "merkle approvals";
    case "proposal":
      return slug === null
        ? `merkle source accept ${need.proposal}`
        : `merkle doc accept ${slug} ${need.proposal}`;
    case "job_failed":
      return `merkle jobs show ${need.job}`;
    case "in_review":
      return `merkle task done ${slug} ${need.task}`;
    case "handed_back":
      return need.task === null ? `merkle claims ${slug}` : `merkle tasks ${slug}`;
    case "blocked":
      if (need.ask !== null) return formatAnswerAdvice(slug, need.ask.message);
      return `merkle post ${slug} <text> --to ${toShellWord(formatPeerAddress(need.team, need.peer))}`;
    case "held":
    case "budget_near":
    case "budget_spent":
      return `merkle resume ${slug}`;
    case "quota_near":
      return "merkle mesh list";
    case "quiet":
      return `merkle peers ${slug}`;
    case "undelivered":
      return `merkle undelivered ${slug}`;
  }
}

function formatAnswerAdvice(slug: string | null, message: number): string {
  return `merkle post ${slug} --reply-to ${message} --answer <answer>`;
}
