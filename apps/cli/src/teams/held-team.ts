/** A place in a session whose credential this machine keeps, so that whoever is launched next can take it again. */
export interface HeldTeam {
  readonly mesh_id: string;
  readonly session_id: string;
  readonly slug: string;
  /** The bare uuid. */
  readonly team_id: string;
  readonly team_name: string;
  /** The named peer that the place is; null for the team's own place, which has no name. */
  readonly peer_id: string | null;
  readonly peer_name: string | null;
  readonly role: string | null;
  /** As they are written: `backend`, `backend:lead`. */
  readonly groups: readonly string[];
  /** The place's own: the peer's, or the team's where the place has no name. */
  readonly credential: string;
  /** The key of the launch that took the place first. */
  readonly session_key: KeyPair | null;
  /** The Claude Code session that it was last held for, if it was one. */
  readonly claude_session_id: string | null;
  readonly saved_at: string;
}

/** An ed25519 key pair in base64: 32 bytes and 64. */
export interface KeyPair {
  readonly public: string;
  readonly private: string;
}

/** What a place is called on this machine, by its files and by `merkle mcp --as`. */
export function placeIdOf({ peer_id, team_id }: Pick<HeldTeam, "peer_id" | "team_id">): string {
  return peer_id ?? team_id;
}

/** Takes a file's content for a place; undefined when it is none. Teams were kept without peers once, and still are places. */
export function parseHeldTeam(text: string): HeldTeam | undefined {
  const value: unknown = JSON.parse(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const fields: Readonly<Record<string, unknown>> = { ...withoutPeer, ...value };
  return isHeldTeam(fields) ? fields : undefined;
}

const withoutPeer = { peer_id: null, peer_name: null, role: null, groups: [], session_key: null };

const texts = ["mesh_id", "session_id", "slug", "team_id", "team_name", "credential", "saved_at"] as const;
const textsOrNull = ["peer_id", "peer_name", "role", "claude_session_id"] as const;

function isHeldTeam(
  fields: Readonly<Record<string, unknown>>,
): fields is Readonly<Record<string, unknown>> & HeldTeam {
  const { groups, session_key: key } = fields;
  return (
    texts.every((name) => isText(fields[name])) &&
    textsOrNull.every((name) => fields[name] === null || isText(fields[name])) &&
    Array.isArray(groups) &&
    groups.every(isText) &&
    (key === null || isKeyPair(key))
  );
}

function isKeyPair(value: unknown): value is KeyPair {
  if (typeof value !== "object" || value === null || !("public" in value && "private" in value)) return false;
  return isText(value.public) && isText(value.private);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
