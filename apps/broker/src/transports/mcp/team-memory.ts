import {
  type Database,
  type JoinedSessionRow,
  listJoinedSessions,
  listMcpSessionTeams,
  type Queryable,
  saveMcpSessionTeam,
  type Transaction,
} from "@merkle/db";
import { parseTeamCredential } from "@merkle/wire";
import { decrypt, encrypt } from "../../core/encrypt.js";
import { toKey } from "./session-store.js";

/**
 * The teams that an MCP session has joined as. Their credentials are stored, so that calls in the session need
 * no credentials (MCP-2).
 */
export interface RememberedTeams {
  findCredential(sessionId: string): string | undefined;
  /** Returns the stored credential with this uuid. A caller may send the uuid in place of the credential. */
  findCredentialByTeam(uuid: string): string | undefined;
  /** Returns the sessions to which these teams still belong. */
  listSessions(): Promise<JoinedSessionRow[]>;
  /**
   * Returns the only stored credential, which applies regardless of the addressed session. Undefined if there
   * are several.
   */
  findOnlyCredential(): string | undefined;
  /** Stores a credential in the transaction that creates it, so that either both are stored or neither is. */
  store(tx: Transaction, sessionId: string, credential: string): Promise<void>;
  /** Uses the credential for later calls, and stores it if an idempotent retry has returned it again. */
  remember(sessionId: string, credential: string): Promise<void>;
}

/**
 * Loads an MCP session's credentials. In the database, the credentials are encrypted with the session's id,
 * which only the client has.
 */
export async function loadRememberedTeams(
  database: Pick<Database, "orm" | "meshId">,
  mcpSessionId: string,
): Promise<RememberedTeams> {
  const key = toKey(database, mcpSessionId);
  const rows = await listMcpSessionTeams(database.orm, key);
  const credentials = new Map(
    rows.map(({ sessionId, sealedCredential }) => [
      sessionId,
      decrypt(mcpSessionId, formatPurpose(sessionId), sealedCredential),
    ]),
  );
  /** Credentials that calls in progress have stored. Each becomes active when its call ends. */
  const storedCredentials = new Map<string, string>();
  const save = (db: Queryable | Transaction, sessionId: string, credential: string) =>
    saveMcpSessionTeam(db, key, sessionId, encrypt(mcpSessionId, formatPurpose(sessionId), credential));

  return {
    findCredential: (sessionId) => credentials.get(sessionId),
    findCredentialByTeam: (uuid) =>
      [...credentials.values()].find(
        (credential) => parseTeamCredential(credential)?.teamId === uuid.toLowerCase(),
      ),
    async listSessions() {
      const ids = [...credentials.values()].flatMap((each) => parseTeamCredential(each)?.teamId ?? []);
      return ids.length === 0 ? [] : listJoinedSessions(database.orm, [...credentials.keys()], ids);
    },
    findOnlyCredential: () => (credentials.size === 1 ? [...credentials.values()][0] : undefined),
    async store(tx, sessionId, credential) {
      await save(tx, sessionId, credential);
      storedCredentials.set(sessionId, credential);
    },
    async remember(sessionId, credential) {
      if (storedCredentials.get(sessionId) !== credential && credentials.get(sessionId) !== credential) {
        await save(database.orm, sessionId, credential);
      }
      storedCredentials.delete(sessionId);
      credentials.set(sessionId, credential);
    },
  };
}

function formatPurpose(sessionId: string): string {
  return `mcp session's team in ${sessionId}`;
}
