import { type Database, listRememberedTeams, rememberTeam } from "@merkle/db";
import { seal, unseal } from "../../writes/seal.js";
import { toKey } from "./session-store.js";

/** As which teams an MCP session takes part in sessions, so that its calls need no credential (MCP-2). */
export interface RememberedTeams {
  credentialIn(sessionId: string): string | undefined;
  /** The only one that there is: what it says does not depend on which session is meant. */
  onlyCredential(): string | undefined;
  remember(sessionId: string, credential: string): Promise<void>;
}

/** Reads what an MCP session remembers. In the database its credentials are sealed with the id that only its client holds. */
export async function loadRememberedTeams(
  database: Pick<Database, "orm" | "meshId">,
  mcpSessionId: string,
): Promise<RememberedTeams> {
  const key = toKey(database, mcpSessionId);
  const stored = await listRememberedTeams(database.orm, key);
  const credentials = new Map(
    stored.map(({ sessionId, sealedCredential }) => [
      sessionId,
      unseal(mcpSessionId, purposeFor(sessionId), sealedCredential),
    ]),
  );
  return {
    credentialIn: (sessionId) => credentials.get(sessionId),
    onlyCredential: () => (credentials.size === 1 ? [...credentials.values()][0] : undefined),
    async remember(sessionId, credential) {
      credentials.set(sessionId, credential);
      await rememberTeam(database.orm, key, sessionId, seal(mcpSessionId, purposeFor(sessionId), credential));
    },
  };
}

function purposeFor(sessionId: string): string {
  return `mcp session's team in ${sessionId}`;
}
