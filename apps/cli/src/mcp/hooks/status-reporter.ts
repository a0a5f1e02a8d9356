import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import type { OutputOf } from "@merkle/wire";
import type { InboxSocket } from "../../clients/claude-inbox.js";
import type { BrokerLink } from "../broker-link.js";
import type { PeerSession } from "../peer-sessions.js";

/** Tells the others what a peer is doing, as its client's hooks show it. */
export interface StatusReporter {
  /** In the background, and only what is new: a hook must not wait for a broker. */
  tell(team: PeerSession, status: "working" | "idle"): void;
}

/** Later it would be no longer true. */
const timeoutMs = 5_000;

export function createStatusReporter(link: BrokerLink, log: (text: string) => void): StatusReporter {
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
          log(`could not update the status: ${String(error)}`);
        },
      );
    },
  };
}

/** Notes the declared status that the broker answered with: a status that the model has declared itself stands. */
export function noteDeclared(team: PeerSession, { declared }: OutputOf<"set_status">): void {
  team.declared = declared.status;
}

/**
 * Since when the client is idle, as it keeps it in a file for other clients of its user, in milliseconds of the clock; undefined
 * when it is busy or does not say so. It is how a turn shows that it was interrupted, of which no hook tells.
 */
export async function idleSince(inbox: InboxSocket, env: NodeJS.ProcessEnv): Promise<number | undefined> {
  const folder = join(env["CLAUDE_CONFIG_DIR"] || join(homedir(), ".claude"), "sessions");
  try {
    const text = await readFile(join(folder, `${basename(inbox.path, ".sock")}.json`), "utf8");
    const { status, statusUpdatedAt, messagingSocketPath } = Object(JSON.parse(text));
    const isIdle = status === "idle" && messagingSocketPath === inbox.path;
    return isIdle && typeof statusUpdatedAt === "number" ? statusUpdatedAt : undefined;
  } catch {
    // No client promises this file: without it a turn ends by its hooks, or by their silence.
    return undefined;
  }
}
