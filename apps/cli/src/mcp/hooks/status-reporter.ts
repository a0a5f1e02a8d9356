import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import type { OutputOf } from "@merkle/wire";
import type { InboxSocket } from "../../clients/claude-inbox.js";
import type { BrokerLink } from "../broker-link.js";
import type { PeerSession } from "../peer-sessions.js";

/** Reports a peer's activity, derived from its client's hooks, to other participants. */
export interface StatusReporter {
  /** Reports a changed status in the background, because hooks must not wait for the broker. */
  report(team: PeerSession, status: "working" | "idle"): void;
}

/** Timeout for reporting a status, which would be outdated after this time. */
const timeoutMs = 5_000;

export function createStatusReporter(link: BrokerLink, log: (text: string) => void): StatusReporter {
  return {
    report(team, status) {
      if (team.state.status.observed === status || team.state.membership !== "member") return;
      team.advance({ type: "statusObserved", status });
      const input = {
        session_id: team.sessionId,
        team_id: team.credential,
        status,
        automatic: true,
      } as const;
      link.call("set_status", input, { timeoutMs }).then(
        (output) => noteDeclared(team, output),
        (error: unknown) => {
          team.advance({ type: "statusObserved", status: undefined });
          log(`could not update the status: ${String(error)}`);
        },
      );
    },
  };
}

/**
 * Stores the declared status from the broker's reply. It can differ from the status sent, because a status
 * set by the model takes precedence.
 */
export function noteDeclared(team: PeerSession, { declared }: OutputOf<"set_status">): void {
  team.advance({ type: "statusDeclared", status: declared.status });
}

/**
 * Returns when the client became idle, in milliseconds, from the state file that the client keeps for other
 * programs. Undefined if the client is busy or the file does not say. Only this file reveals an interrupted
 * turn, because no hook reports interruptions.
 */
export async function readIdleSince(inbox: InboxSocket, env: NodeJS.ProcessEnv): Promise<number | undefined> {
  const folder = join(env["CLAUDE_CONFIG_DIR"] || join(homedir(), ".claude"), "sessions");
  try {
    const text = await readFile(join(folder, `${basename(inbox.path, ".sock")}.json`), "utf8");
    const { status, statusUpdatedAt, messagingSocketPath } = Object(JSON.parse(text));
    const isIdle = status === "idle" && messagingSocketPath === inbox.path;
    return isIdle && typeof statusUpdatedAt === "number" ? statusUpdatedAt : undefined;
  } catch {
    // The file is not a documented interface. Without it, a turn ends with its last hook or after a silence.
    return undefined;
  }
}
