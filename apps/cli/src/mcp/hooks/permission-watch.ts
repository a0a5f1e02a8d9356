import { setTimeout as delay } from "node:timers/promises";
import { neutralise } from "@merkle/wire/text";
import type { ClaudeState } from "../../clients/claude-state.js";
import type { Fields } from "../../core/is-object.js";
import type { BrokerLink } from "../broker-link.js";
import type { PeerSession, PeerSessions } from "../peer-sessions.js";
import { noteDeclared } from "./status-reporter.js";

/** Shows other participants that the client is waiting for its user to grant a permission (WAKE-18). */
export interface PermissionWatch {
  /** Called when the client's hook reports that the client asks its user for a permission. */
  ask(hook: Fields): void;
  /** Called when the client resumes work after asking for a permission. */
  goOn(): void;
}

interface PermissionWatchOptions {
  readonly link: BrokerLink;
  readonly teams: Pick<PeerSessions, "readers">;
  readonly readState: () => Promise<ClaudeState>;
  readonly hide: (text: string) => string;
  readonly log: (text: string) => void;
}

type Free = "idle" | "working";

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
      const saysNothing = kind === undefined;
      if (status === "waiting" || (saysNothing && !hasWaited)) {
        if (!hasWaited) for (const team of teams.readers()) void block(team, reason, signal);
        hasWaited = true;
      } else if (!saysNothing && (hasWaited || Date.now() - askedAt > waitsWithinMs)) {
        return free(status === "idle" ? "idle" : "working");
      }
      await delay(pollMs, undefined, { ref: false });
    }
  }

  async function block(team: PeerSession, reason: string, signal: AbortSignal): Promise<void> {
    const output = await declare(team, { status: "blocked", reason, automatic: true });
    // Keep a status that the model set itself.
    if (output?.declared.reason !== reason) return;
    if (signal.aborted) show(team, signal.reason);
    else blocked.add(team);
  }

  function free(status: Free): void {
    watching.abort(status);
    for (const team of blocked) show(team, status);
    blocked.clear();
  }

  function show(team: PeerSession, status: Free): void {
    team.advance({ type: "statusObserved", status });
    void declare(team, { status });
  }

  async function declare(
    team: PeerSession,
    status: { status: "blocked"; reason: string; automatic: true } | { status: Free },
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
    ask(hook) {
      free("working");
      watching = new AbortController();
      void watch(hide(describePermission(hook)), watching.signal);
    },
    goOn() {
      if (!watching.signal.aborted) free("working");
    },
  };
}

const begin = "waiting for permission at its terminal";

/** Returns whether a permission watch set this status, possibly in an earlier server process. */
export function isPermission(reason: string | null): boolean {
  return reason?.startsWith(begin) === true;
}

/** The inputs of a tool call that say most about it, in order of preference. */
const telling = ["command", "file_path", "notebook_path", "url", "query", "pattern", "path"];
const inputCharsMax = 160;

function describePermission({ tool, input }: Fields): string {
  const fields = readFields(input);
  const value = telling.map((name) => fields[name]).find((each) => typeof each === "string");
  const name = typeof tool === "string" && tool !== "" ? `: ${neutralise(tool).slice(0, 100)}` : "";
  return `${begin}${name}${typeof value === "string" ? ` "${shorten(value)}"` : ""}`;
}

function shorten(text: string): string {
  const line = neutralise(text).replace(/\s+/g, " ").trim();
  return line.length > inputCharsMax
    ? `${line.slice(0, inputCharsMax).replace(/[\ud800-\udbff]$/, "")}…`
    : line;
}

function readFields(input: unknown): Fields {
  try {
    return Object(typeof input === "string" ? JSON.parse(input) : input);
  } catch {
    return {};
  }
}
