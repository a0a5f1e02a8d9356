import type { ChangedKind, OutputOf, ScopeClaim } from "@merkle/wire";
import { nameInLine, neutralJson, scopeHoldsFile } from "@merkle/wire/text";
import { toAge } from "../../text/time.js";
import type { BrokerLink } from "../broker-link.js";
import type { PeerSession, PeerSessions } from "../peer-sessions.js";
import { pathInRepository } from "./repository-path.js";

/**
 * Knows what others have claimed in the sessions of this server, so that a hook is answered without asking the broker
 * (CLAIM-5). It is advice for agents that mean well: a shell gets round it.
 */
export interface ClaimGuard {
  /** Asks anew what is claimed, because the broker says that it has changed, or because nobody listened. */
  refresh(team: PeerSession, kind?: ChangedKind): void;
  /** The verdict that a hook gives on an edit of these files; null where nobody else has claimed one of them. */
  judge(files: readonly string[]): EditVerdict | null;
}

interface EditVerdict {
  readonly refuses: boolean;
  readonly text: string;
}

type Known = OutputOf<"list_claims">;

/** A file that is edited, and another's claim on it. */
interface HeldFile {
  readonly path: string;
  readonly claim: ScopeClaim;
  readonly slug: string;
  readonly refuses: boolean;
}

export function createClaimGuard(options: {
  readonly link: Pick<BrokerLink, "call">;
  readonly teams: () => Pick<PeerSessions, "readers">;
  readonly cwd: string;
  readonly log: (text: string) => void;
}): ClaimGuard {
  const { link, teams, cwd, log } = options;
  /** By the session's id. What is a little old is better than nothing: the broker may be away. */
  const known = new Map<string, Known>();
  const asking = new Set<string>();
  const again = new Set<string>();

  /** Reads a session's claims. However many changes come during one read, one more read follows it and has seen them all. */
  async function read(team: PeerSession): Promise<void> {
    const { sessionId, credential } = team;
    if (asking.has(sessionId)) return void again.add(sessionId);
    asking.add(sessionId);
    try {
      known.set(sessionId, await link.call("list_claims", { session_id: sessionId, team_id: credential }));
    } catch (error) {
      log(
        `what is claimed in ${team.slug} could not be read: ${error instanceof Error ? error.message : error}`,
      );
    } finally {
      asking.delete(sessionId);
    }
    if (again.delete(sessionId)) await read(team);
  }

  function findHeld(path: string, { sessionId, slug }: PeerSession): HeldFile[] {
    const { claims, edits } = known.get(sessionId) ?? { claims: [], edits: "off" as const };
    if (edits === "off") return [];
    const held = claims.filter((claim) => isOthers(claim) && scopeHoldsFile(claim.scope, path));
    return held.map((claim) => ({ path, claim, slug, refuses: edits === "refuse" }));
  }

  return {
    refresh(team, kind = "tasks") {
      // The setting is the session's.
      if (kind === "tasks" || kind === "session") void read(team);
    },
    judge(files) {
      const open = teams()
        .readers()
        .filter(({ closed }) => !closed);
      const found = files.flatMap((file) => {
        const path = pathInRepository(file, cwd);
        return path === null ? [] : open.flatMap((team) => findHeld(path, team));
      });
      const first = found.find(({ refuses }) => refuses) ?? found[0];
      return first ? { refuses: first.refuses, text: toText(first) } : null;
    },
  };
}

/** One's own, one that is shared and one whose time is over are in nobody's way. */
function isOthers({ mine, shared, expires_at }: ScopeClaim): boolean {
  return !mine && !shared && (expires_at === null || Date.parse(expires_at) > Date.now());
}

function toText({ path, claim, slug, refuses }: HeldFile): string {
  const { holder, scope, claimed_at, reason } = claim;
  const why = reason === null ? "" : `, saying ${neutralJson(reason)}`;
  const then = refuses
    ? "The session does not let it be edited meanwhile: do something else, or ask for it with send_message."
    : "Ask with send_message before you change it, or do something else first.";
  return `${neutralJson(path)} is claimed in the Merkle session ${slug}: ${nameInLine(holder)} has held ${neutralJson(scope)} for ${toAge(claimed_at)}${why}. ${then}`;
}

/** The answer of a hook before an edit, as Claude Code and Codex take it. */
export function toHookResult({ refuses, text }: EditVerdict): string {
  const said = refuses
    ? { permissionDecision: "deny", permissionDecisionReason: text }
    : { additionalContext: text };
  return JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", ...said } });
}
