import type { ChangedKind, OutputOf, ScopeClaim } from "@merkle/wire";
import { formatInlineName, scopeContainsFile, toNeutralJson } from "@merkle/wire/text";
import { describeError } from "../../core/describe-error.js";
import { sha256 } from "../../core/sha256.js";
import type { BrokerLink } from "../../mcp/broker-link.js";
import type { Edit } from "../../mcp/extension.js";
import type { PeerSession, PeerSessions } from "../../mcp/peer-sessions.js";
import {
  findRepository,
  findRepositoryFile,
  type RepositoryFile,
  toRepositoryKey,
} from "../../sessions/repository.js";
import { toAge } from "../../text/time.js";

/**
 * Tracks the claims of other peers in this server's sessions, so that a hook can be answered without asking
 * the broker (CLAIM-5). The guard only advises cooperative agents: a shell command can bypass it.
 */
export interface ClaimGuard {
  /** Reads the claims again, after a change at the broker or after a lost connection. */
  refresh(team: PeerSession, kind?: ChangedKind): void;
  /**
   * Returns why a hook must refuse an edit, or null to allow the edit. In a session that only warns, an agent
   * that repeats the identical edit may proceed, and may then edit the same file freely.
   */
  judge(edit: Edit): string | null;
}

type KnownClaims = OutputOf<"list_claims">;

/** A file that is about to be edited, and another peer's claim on it. */
interface ClaimedFile {
  readonly path: string;
  readonly claim: ScopeClaim;
  readonly slug: string;
  readonly sessionId: string;
  readonly isRefused: boolean;
}

export function createClaimGuard(options: {
  readonly link: Pick<BrokerLink, "call">;
  readonly teams: () => Pick<PeerSessions, "readers">;
  readonly cwd: string;
  readonly log: (text: string) => void;
}): ClaimGuard {
  const { link, teams, cwd, log } = options;
  /** Claims by session id. While the broker cannot be reached, the last known claims are used. */
  const known = new Map<string, KnownClaims>();
  const reading = new Set<string>();
  const staleReads = new Set<string>();
  /**
   * Hashes of edits that were refused once, by conversation, agent, session, claim and file. Null once the
   * agent has repeated a refused edit.
   */
  const warned = new Map<string, Set<string> | null>();

  /** Reads a session's claims. If claims change during the read, they are read once more afterwards. */
  async function read(team: PeerSession): Promise<void> {
    const { sessionId, credential } = team;
    if (reading.has(sessionId)) return void staleReads.add(sessionId);
    reading.add(sessionId);
    try {
      known.set(sessionId, await link.call("list_claims", { session_id: sessionId, team_id: credential }));
    } catch (error) {
      log(`could not read the claims in ${team.slug}: ${describeError(error)}`);
    } finally {
      reading.delete(sessionId);
    }
    if (staleReads.delete(sessionId)) await read(team);
  }

  function findClaimedFiles(
    file: RepositoryFile,
    own: string | null,
    { sessionId, slug }: PeerSession,
  ): ClaimedFile[] {
    const { claims, edits } = known.get(sessionId) ?? { claims: [], edits: "off" as const };
    if (edits === "off") return [];
    const key = toRepositoryKey(file.address, sessionId);
    const matching = claims.filter(
      (claim) =>
        isHeldByOther(claim) &&
        // Claims from older versions name no repository. They may refer to the repository in which the server
        // runs.
        (claim.repository ? claim.repository === key : file.address === own) &&
        scopeContainsFile(claim.scope, file.path),
    );
    return matching.map((claim) => ({
      path: file.path,
      claim,
      slug,
      sessionId,
      isRefused: edits === "refuse",
    }));
  }

  /** Returns whether the agent has already been warned of this edit, so that the edit is allowed now. */
  function wasAlreadyWarned(
    { sessionId, claim, path }: ClaimedFile,
    { conversation, agentId }: Edit,
    hash: string,
  ): boolean {
    const key = JSON.stringify([conversation, agentId, sessionId, claim.claim, path]);
    const hashes = warned.get(key);
    if (hashes === null) return true;
    if (hashes?.has(hash)) {
      warned.set(key, null);
      return true;
    }
    if (warned.size >= warnedMax) warned.clear();
    warned.set(key, new Set(hashes).add(hash));
    return false;
  }

  return {
    refresh(team, kind = "tasks") {
      // A session setting decides whether claims restrict edits, so changes to the session matter too.
      if (kind === "tasks" || kind === "session") void read(team);
    },
    judge(edit) {
      const open = teams()
        .readers()
        .filter(({ isClosed: closed }) => !closed);
      const own = findRepository(cwd);
      const claimedFiles = edit.files.flatMap((name) => {
        const file = findRepositoryFile(name, cwd);
        return file === null ? [] : open.flatMap((team) => findClaimedFiles(file, own, team));
      });
      const hash = sha256(JSON.stringify(edit.content));
      // Record a warning for every file, so that an edit that affects several files is refused only once.
      const refused = claimedFiles.filter((each) => each.isRefused || !wasAlreadyWarned(each, edit, hash));
      const first = refused.find(({ isRefused }) => isRefused) ?? refused[0];
      return first ? formatRefusal(first) : null;
    },
  };
}

/** The maximum number of warnings. When it is reached, all are cleared, so agents may be warned again. */
const warnedMax = 1_000;

/**
 * Returns whether a claim can block an edit. The agent's own claims, shared claims and expired claims cannot.
 */
function isHeldByOther({ mine, shared, expires_at }: ScopeClaim): boolean {
  return !mine && !shared && (expires_at === null || Date.parse(expires_at) > Date.now());
}

function formatRefusal({ path, claim, slug, isRefused }: ClaimedFile): string {
  const { holder, scope, claimed_at, reason } = claim;
  const why = reason === null ? "" : `, saying ${toNeutralJson(reason)}`;
  const then = isRefused
    ? "This session does not allow editing claimed files: do something else, or ask the holder with send_message."
    : "Nothing was changed. Ask the holder with send_message first, or do something else. If you try the same edit again, it goes through.";
  return `${toNeutralJson(path)} is claimed in the Merkle session ${slug}: ${formatInlineName(holder)} has held ${toNeutralJson(scope)} for ${toAge(claimed_at)}${why}. ${then}`;
}
