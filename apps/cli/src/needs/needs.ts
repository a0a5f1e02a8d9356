import type { Message, OutputOf, Peer } from "@merkle/wire";
import { isBlocked } from "../roster/peer-state.js";

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
  | { readonly kind: "held"; readonly by: string; readonly reason: string | null; readonly at: string }
  | { readonly kind: "budget_spent"; readonly budget: number; readonly agent_messages: number };

interface Facts {
  readonly session: Pick<OutputOf<"get_session">, "held" | "agent_messages" | "settings" | "session_closed">;
  readonly peers: readonly Peer[];
  readonly asks: readonly Message[];
}

/** Unanswered asks to humans, blocked peers, a hold and a spent budget, in this order; of a closed session nothing waits. */
export function toNeeds({ session, peers, asks }: Facts): Need[] {
  if (session.session_closed) return [];
  const { held, agent_messages, settings } = session;
  const budget = settings.message_budget;
  return [
    ...asks.filter((ask) => isToHumans(ask, peers)).map(toAskNeed),
    ...peers.filter(isBlocked).map(toBlockedNeed),
    ...(held === null ? [] : [{ kind: "held" as const, ...held }]),
    ...(budget > 0 && agent_messages >= budget
      ? [{ kind: "budget_spent" as const, budget, agent_messages }]
      : []),
  ];
}

/** It names `@humans`, or a human. What is asked of everyone may be answered by agents as well, and is not counted. */
function isToHumans({ to }: Message, peers: readonly Peer[]): boolean {
  const humans = new Set(peers.filter(({ kind }) => kind === "human").map(({ team }) => team.toLowerCase()));
  return to.some((each) => each === "@humans" || humans.has(each.toLowerCase()));
}

function toAskNeed({ sequence, from, content, posted_at: at }: Message): Need {
  const { text, options } = content;
  return {
    kind: "ask",
    message: sequence,
    from: from?.peer === undefined ? (from?.team ?? "") : `${from.team}/${from.peer}`,
    text: typeof text === "string" ? text : "",
    options: Array.isArray(options) ? options.map(String) : [],
    at,
  };
}

function toBlockedNeed({ team, name, declared, last_seen_at: seenAt }: Peer): Need {
  return {
    kind: "blocked",
    team,
    peer: name,
    reason: declared?.reason ?? null,
    at: declared?.at ?? seenAt,
  };
}
