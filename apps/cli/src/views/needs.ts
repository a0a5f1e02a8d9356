import type { AttentionItem } from "@merkle/wire";

/** What of a session waits for a human. */
export type Need =
  | {
      readonly kind: "ask";
      readonly message: number;
      readonly from: string;
      readonly text: string;
      readonly options: readonly string[];
      readonly at: string;
    }
  | {
      readonly kind: "blocked";
      readonly team: string;
      readonly peer: string | null;
      readonly reason: string | null;
      readonly at: string;
    }
  | {
      readonly kind: "proposal";
      readonly proposal: number;
      /** Null for an agent's. */
      readonly from: string | null;
      readonly text: string;
      readonly at: string;
    }
  | { readonly kind: "job_failed"; readonly job: number; readonly text: string; readonly at: string }
  | { readonly kind: "held"; readonly by: string; readonly reason: string | null; readonly at: string }
  | { readonly kind: "budget_spent" | "quiet"; readonly at: string };

/** What the broker lists, with the fields that its kind has. */
export function toNeed(item: AttentionItem): Need {
  const { kind, peer, text, options, since: at } = item;
  const team = item.team ?? "";
  const reason = text === "" ? null : text;
  switch (kind) {
    case "ask": {
      const from = peer === null ? team : `${team}/${peer}`;
      return { kind, message: item.sequence ?? 0, from, text, options, at };
    }
    case "proposal":
      return { kind, proposal: item.number ?? 0, from: item.team, text, at };
    case "job_failed":
      return { kind, job: item.number ?? 0, text, at };
    case "blocked":
      return { kind, team, peer, reason, at };
    case "held":
      return { kind, by: team, reason, at };
    case "budget_spent":
    case "quiet":
      return { kind, at };
  }
}
