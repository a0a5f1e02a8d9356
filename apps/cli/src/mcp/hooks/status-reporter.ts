import type { OutputOf } from "@merkle/wire";
import type { BrokerLink } from "../broker-link.js";
import type { Team } from "../peer-sessions.js";

/** Tells the others what a peer is doing, as its client's hooks show it. */
export interface StatusTeller {
  /** In the background, and only what is new: a hook must not wait for a broker. */
  tell(team: Team, status: "working" | "idle"): void;
}

/** Later it would be no longer true. */
const timeoutMs = 5_000;

export function createStatusTeller(link: BrokerLink, log: (text: string) => void): StatusTeller {
  return {
    tell(team, status) {
      if (team.observed === status || team.left || team.replaced) return;
      team.observed = status;
      const input = {
        session_id: team.sessionId,
        team_id: team.credential,
        status,
        automatic: true,
      } as const;
      link.call("set_status", input, { timeoutMs }).then(
        (output) => noteDeclared(team, output),
        (error: unknown) => {
          team.observed = undefined;
          log(`the status could not be told: ${String(error)}`);
        },
      );
    },
  };
}

/** What the broker took: a status that the model has declared itself stands. */
export function noteDeclared(team: Team, { declared }: OutputOf<"set_status">): void {
  team.declared = declared.status;
}
