import { setTimeout as delay } from "node:timers/promises";
import { neutralise } from "@merkle/wire/text";
import type { ClaudeState } from "../../clients/claude-state.js";
import type { JsonFields } from "../../core/is-object.js";
import type { BrokerLink } from "../broker-link.js";
import type { PeerSession, PeerSessions } from "../peer-sessions.js";
import { noteDeclared } from "./status-reporter.js";

/** Shows other participants that the client is waiting for its user to grant a permission (WAKE-18). */
export interface PermissionWatch {
  /** Called when the client's hook reports that the client asks its user for a permission. */
  startWatching(hook: JsonFields): void;
  /** Called when the client resumes work after asking for a permission. */
  stopWatching(): void;
}

interface PermissionWatchOptions {
  readonly link: BrokerLink;
  readonly teams: Pick<PeerSessions, "readers">;
  readonly readState: () => Promise<ClaudeState>;
  readonly hide: (text: string) => string;
  readonly log: (text: string) => void;
}

type ActiveStatus = "idle" | "working";

const pollMs = 500;
/** How long a client may take to report that it is waiting for its user. */
const waitsWithinMs = 5_000;

export function createPermissionWatch(options: PermissionWatchOptions): PermissionWatch {
  const { link, teams, readState, hide, log } = options;
  let watching = new AbortController();
  /** The peers that this watch has marked as blocked. */
  const blocked = new Set<PeerSession>();

  /**
   * Polls the client's state file until the user has answered the permission prompt, which no hook reports.
   */
  async function watch(reason: string, signal: AbortSignal): Promise<void> {
    const askedAt = Date.now();
    let hasWaited = false;
    for (;;) {
      const { kind, status } = await readState();
      if (signal.aborted) return;
      const isStateUnknown = kind === undefined;
      if (status === "waiting" || (isStateUnknown && !hasWaited)) {
        if (!hasWaited) for (const team of teams.readers()) void block(team, reason, signal);
        hasWaited = true;
      } else if (!isStateUnknown && (hasWaited || Date.now() - askedAt > waitsWithinMs)) {
        return unblock(status === "idle" ? "idle" : "working");
      }
      await delay(pollMs, undefined, { ref: false });
    }
  }

  async function block(team: PeerSession, reason: string, signal: AbortSignal): Promise<void> {
    const output = await declare(team, { status: "blocked", reason, automatic: true });
    // Keep a status that the model set itself.
    if (output?.declared.reason !== reason) return;
    if (signal.aborted) declareActive(team, signal.reason);
    else blocked.add(team);
  }

  function unblock(status: ActiveStatus): void {
    watching.abort(status);
    for (const team of blocked) declareActive(team, status);
    blocked.clear();
  }

  function declareActive(team: PeerSession, status: ActiveStatus): void {
    team.advance({ type: "statusObserved", status });
    void declare(team, { status });
  }

  async function declare(
    team: PeerSession,
    status: { status: "blocked"; reason: string; automatic: true } | { status: ActiveStatus },
  ) {
    try {
      const input = { session_id: team.sessionId, team_id: team.credential, ...status };
      const output = await link.call("set_status", input);
      noteDeclared(team, output);
      return output;
    } catch (error) {
      log(`could not update the status: ${String(error)}`);
      return undefined;
    }
  }

  return {
    startWatching(hook) {
      unblock("working");
      watching = new AbortController();
      void watch(hide(describePermission(hook)), watching.signal);
    },
    stopWatching() {
      if (!watching.signal.aborted) unblock("working");
    },
  };
}

const reasonPrefix = "waiting for permission at its terminal";

/** Returns whether a permission watch set this status, possibly in an earlier server process. */
export function isPermissionReason(reason: string | null): boolean {
  return reason?.startsWith(reasonPrefix) === true;
}

/** The inputs of a tool call that say most about it, in order of preference. */
const descriptiveInputs = ["command", "file_path", "notebook_path", "url", "query", "pattern", "path"];
const inputCharsMax = 160;

function describePermission({ tool, input }: JsonFields): string {
  const fields = readFields(input);
  const value = descriptiveInputs.map((name) => fields[name]).find((each) => typeof each === "string");
  const name = typeof tool === "string" && tool !== "" ? `: ${neutralise(tool).slice(0, 100)}` : "";
  return `${reasonPrefix}${name}${typeof value === "string" ? ` "${shorten(value)}"` : ""}`;
}

function shorten(text: string): string {
  const line = neutralise(text).replace(/\s+/g, " ").trim();
  return line.length > inputCharsMax
    ? `${line.slice(0, inputCharsMax).replace(/[\ud800-\udbff]$/, "")}…`
    : line;
}

function readFields(input: unknown): JsonFields {
  try {
    return Object(typeof input === "string" ? JSON.parse(input) : input);
  } catch {
    return {};
  }
}
