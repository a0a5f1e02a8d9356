import { findSession } from "@merkle/db";
import { MerkleError } from "@merkle/wire";
import type { OutputOf, SessionContext } from "../context.js";
import { toSessionSettings } from "../settings/get-settings.js";
import { toSession } from "./session-output.js";

export async function getSession({ services, session }: SessionContext): Promise<OutputOf<"get_session">> {
  const { database } = services;
  const row = await findSession(database.orm, database.meshId, session.sessionId);
  if (!row) throw new MerkleError("not_found", `There is no session "${session.slug}".`);
  return { ...toSession(row), settings: toSessionSettings(row.settings) };
}
