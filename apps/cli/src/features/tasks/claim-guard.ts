import { createHash } from "node:crypto";
import type { ChangedKind, OutputOf, ScopeClaim } from "@merkle/wire";
import { nameInLine, neutralJson, scopeHoldsFile } from "@merkle/wire/text";
import { describeError } from "../../core/describe-error.js";
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
 * Knows what others have claimed in the sessions of this server, so that a hook is answered without asking the broker
 * (CLAIM-5). It is advice for agents that mean well: a shell gets round it.
 */
export interface ClaimGuard {
  /** Asks anew what is claimed, because the broker says that it has changed, or because nobody listened. */
  refresh(team: PeerSession, kind?: ChangedKind): void;
  /**
   * Why a hook refuses an edit; null where it may go on. Where the session only warns, the identical edit passes when it comes
   * again, and with it whatever the same agent edits in that file.
   */
  judge(edit: Edit): string | null;
}

type Known = OutputOf<"list_claims">;

/** A file that is edited, and another's claim on it. */
interface HeldFile {
  readonly path: string;
  readonly claim: ScopeClaim;
  readonly slug: string;
  readonly sessionId: string;
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
  /** The edits that were refused once, as hashes, by the conversation, agent, claim and file; null once the agent went on anyway. */
  const warned = new Map<string, Set<string> | null>();

  /** Reads a session's claims. However many changes come during one read, one more read follows it and has seen them all. */
  async function read(team: PeerSession): Promise<void> {
    const { sessionId, credential } = team;
    if (asking.has(sessionId)) return void again.add(sessionId);
    asking.add(sessionId);
    try {
      known.set(sessionId, await link.call("list_claims", { session_id: sessionId, team_id: credential }));
    } catch (error) {
      log(`could not read the claims in ${team.slug}: ${describeError(error)}`);
    } finally {
      asking.delete(sessionId);
    }
    if (again.delete(sessionId)) await read(team);
  }

  function findHeld(file: RepositoryFile, own: string | null, { sessionId, slug }: PeerSession): HeldFile[] {
    const { claims, edits } = known.get(sessionId) ?? { claims: [], edits: "off" as const };
    if (edits === "off") return [];
    const key = toRepositoryKey(file.address, sessionId);
    const held = claims.filter(
      (claim) =>
        isOthers(claim) &&
        // An older claim names no repository, and may be about the one that the server runs in.
        (claim.repository ? claim.repository === key : file.address === own) &&
        scopeHoldsFile(claim.scope, file.path),
    );
    return held.map((claim) => ({ path: file.path, claim, slug, sessionId, refuses: edits === "refuse" }));
  }

  /** Whether the agent has been warned of this edit before, so that it passes now. */
  function passes(
    { sessionId, claim, path }: HeldFile,
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
      // The setting is the session's.
      if (kind === "tasks" || kind === "session") void read(team);
    },
    judge(edit) {
      const open = teams()
        .readers()
        .filter(({ closed }) => !closed);
      const own = findRepository(cwd);
      const found = edit.files.flatMap((name) => {
        const file = findRepositoryFile(name, cwd);
        return file === null ? [] : open.flatMap((team) => findHeld(file, own, team));
      });
      const hash = createHash("sha256").update(JSON.stringify(edit.content)).digest("base64");
      // Each is noted, so that an edit of several files is refused once.
      const refused = found.filter((each) => each.refuses || !passes(each, edit, hash));
      const first = refused.find(({ refuses }) => refuses) ?? refused[0];
      return first ? toText(first) : null;
    },
  };
}

/** More is forgotten, at the price of a second warning. */
const warnedMax = 1_000;

/** One's own, one that is shared and one whose time is over are in nobody's way. */
function isOthers({ mine, shared, expires_at }: ScopeClaim): boolean {
  return !mine && !shared && (expires_at === null || Date.parse(expires_at) > Date.now());
}

function toText({ path, claim, slug, refuses }: HeldFile): string {
  const { holder, scope, claimed_at, reason } = claim;
  const why = reason === null ? "" : `, saying ${neutralJson(reason)}`;
  const then = refuses
    ? "This session does not allow editing claimed files: do something else, or ask the holder with send_message."
    : "Nothing was changed. Ask the holder with send_message first, or do something else. If you try the same edit again, it goes through.";
  return `${neutralJson(path)} is claimed in the Merkle session ${slug}: ${nameInLine(holder)} has held ${neutralJson(scope)} for ${toAge(claimed_at)}${why}. ${then}`;
}
