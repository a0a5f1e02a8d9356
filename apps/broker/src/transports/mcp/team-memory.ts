import {
  type Database,
  type JoinedSessionRow,
  listJoinedSessions,
  listRememberedTeams,
  type Queryable,
  rememberTeam,
  type Transaction,
} from "@merkle/db";
import { parseTeamCredential } from "@merkle/wire";
import { decrypt, encrypt } from "../../core/encrypt.js";
import { toKey } from "./session-store.js";

/** As which teams an MCP session takes part in sessions, so that its calls need no credential (MCP-2). */
export interface RememberedTeams {
  credentialIn(sessionId: string): string | undefined;
  /** The one with this uuid, by which a caller may name it. */
  credentialOf(uuid: string): string | undefined;
  /** The sessions in which they still are. */
  joined(): Promise<JoinedSessionRow[]>;
  /** The only one that there is: what it says does not depend on which session is meant. */
  onlyCredential(): string | undefined;
  /** Stores it in the transaction that gives the credential out, so that neither is there without the other. */
  store(tx: Transaction, sessionId: string, credential: string): Promise<void>;
  /** Goes on as that team; what a repeated call gave out again is stored here. */
  remember(sessionId: string, credential: string): Promise<void>;
}

/** Reads what an MCP session remembers. In the database its credentials are sealed with the id that only its client holds. */
export async function loadRememberedTeams(
  database: Pick<Database, "orm" | "meshId">,
  mcpSessionId: string,
): Promise<RememberedTeams> {
  const key = toKey(database, mcpSessionId);
  const rows = await listRememberedTeams(database.orm, key);
  const credentials = new Map(
    rows.map(({ sessionId, sealedCredential }) => [
      sessionId,
      decrypt(mcpSessionId, purposeFor(sessionId), sealedCredential),
    ]),
  );
  /** Credentials that calls under way have stored; each counts from the end of its call on. */
  const stored = new Map<string, string>();
  const save = (db: Queryable | Transaction, sessionId: string, credential: string) =>
    rememberTeam(db, key, sessionId, encrypt(mcpSessionId, purposeFor(sessionId), credential));

  return {
    credentialIn: (sessionId) => credentials.get(sessionId),
    credentialOf: (uuid) =>
      [...credentials.values()].find(
        (credential) => parseTeamCredential(credential)?.teamId === uuid.toLowerCase(),
      ),
    async joined() {
      const ids = [...credentials.values()].flatMap((each) => parseTeamCredential(each)?.teamId ?? []);
      return ids.length === 0 ? [] : listJoinedSessions(database.orm, [...credentials.keys()], ids);
    },
    onlyCredential: () => (credentials.size === 1 ? [...credentials.values()][0] : undefined),
    async store(tx, sessionId, credential) {
      await save(tx, sessionId, credential);
      stored.set(sessionId, credential);
    },
    async remember(sessionId, credential) {
      if (stored.get(sessionId) !== credential && credentials.get(sessionId) !== credential) {
        await save(database.orm, sessionId, credential);
      }
      stored.delete(sessionId);
      credentials.set(sessionId, credential);
    },
  };
}

function purposeFor(sessionId: string): string {
  return `mcp session's team in ${sessionId}`;
}
