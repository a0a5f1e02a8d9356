import type { ClientName } from "../clients/client.js";
import { describeServerEnded, isServerEndedReason } from "../clients/serving.js";
import { describeError } from "../core/describe-error.js";
import type { BrokerLink } from "./broker-link.js";
import { isPermissionReason } from "./hooks/permission-watch.js";
import { noteDeclared } from "./hooks/status-reporter.js";
import type { PeerSession, PeerSessions } from "./peer-sessions.js";
import type { StatusDeclaration } from "./rejoin.js";
import type { Turn } from "./turn.js";

/** Marks the peers as blocked while the client runs turns without reaching this server (WAKE-19). */
export interface UnreachedStatus {
  /**
   * Marks every peer as blocked, with a reason that explains how the client's user can fix the connection.
   */
  declare(): void;
  /** Removes the marks when the client reaches this server. Returns whether there were any marks. */
  end(): boolean;
  /** Removes a declared status that was set by Merkle, not by the model, and is no longer true (WAKE-15). */
  clearOutdated(team: PeerSession, declared: StatusDeclaration): void;
}

interface UnreachedStatusOptions {
  readonly link: Pick<BrokerLink, "call">;
  readonly teams: Pick<PeerSessions, "readers">;
  readonly turn: Turn;
  readonly clientName: ClientName;
  readonly now: () => number;
  readonly log: (text: string) => void;
}

export function createUnreachedStatus(options: UnreachedStatusOptions): UnreachedStatus {
  const { link, teams, turn, clientName, now, log } = options;
  const unreached = new Map<PeerSession, StatusDeclaration>();

  async function block(team: PeerSession): Promise<void> {
    const output = await link.call("set_status", {
      ...{ session_id: team.sessionId, team_id: team.credential },
      ...{ status: "blocked", reason: describeServerEnded(clientName), automatic: true },
    });
    noteDeclared(team, output);
    unreached.set(team, output.declared);
  }

  async function unblock(team: PeerSession): Promise<void> {
    const status = turn.runsUntil > now() ? "working" : "idle";
    team.advance({ type: "statusObserved", status });
    const credentials = { session_id: team.sessionId, team_id: team.credential };
    noteDeclared(team, await link.call("set_status", { ...credentials, status }));
  }

  function clearOutdated(team: PeerSession, { reason }: StatusDeclaration): void {
    if (isServerEndedReason(reason) || isPermissionReason(reason)) unblock(team).catch(logError);
  }

  function logError(error: unknown): void {
    log(describeError(error));
  }

  return {
    declare() {
      for (const team of teams.readers()) block(team).catch(logError);
    },
    end() {
      const declarations = [...unreached];
      unreached.clear();
      for (const [team, declared] of declarations) clearOutdated(team, declared);
      return declarations.length > 0;
    },
    clearOutdated,
  };
}
