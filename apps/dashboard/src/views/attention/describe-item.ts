import type { AttentionItem } from "@merkle/wire";

/** What an item says: who it is about, what about it, and its words, each to be set apart in its own way. */
export interface ItemWords {
  readonly who: string | null;
  readonly what: string;
  readonly quote: string | null;
}

export function describeItem({ kind, number, team, peer, text }: AttentionItem): ItemWords {
  const who = team !== null && peer !== null && peer !== team ? `${peer} of ${team}` : (peer ?? team);
  const quote = text === "" ? null : text;
  switch (kind) {
    case "ask":
      return { who, what: "asks", quote };
    case "proposal":
      return { who, what: `${who === null ? "Proposal" : "proposes"} ${number}, ${text}`, quote: null };
    case "job_failed":
      return { who: null, what: `Job ${number} ${text}`, quote: null };
    case "in_review":
      return { who: team, what: `did task ${number}, which waits for your word`, quote };
    case "handed_back":
      return {
        who: null,
        what: `${number === null ? "A claim" : `Task ${number}`} was handed back: ${team ?? "its holder"} was gone`,
        quote,
      };
    case "blocked":
      return { who, what: "is blocked", quote };
    case "held":
      return { who, what: who === null ? "Held: agents cannot post" : "holds it: agents cannot post", quote };
    case "budget_spent":
      return { who: null, what: "Agents have said all they may without a human word", quote: null };
    case "budget_near":
      return { who: null, what: "A token budget is nearly used up", quote };
    case "quiet":
      return { who: null, what: "Quiet: nobody polls or speaks", quote: null };
  }
}

/** What an item is called where there is only room for a word. */
export const kindLabels: Readonly<Record<AttentionItem["kind"], string>> = {
  ask: "Ask",
  proposal: "Proposal",
  job_failed: "Job failed",
  in_review: "In review",
  handed_back: "Handed back",
  blocked: "Blocked",
  held: "Held",
  budget_spent: "Budget spent",
  budget_near: "Budget nearly used",
  quiet: "Quiet",
};
