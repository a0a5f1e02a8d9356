import { findSession } from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf, type SessionSettings } from "@merkle/wire";
import type { Context, SessionServices } from "../context.js";
import { toSessionSettings } from "../session-settings.js";

export async function getSettings(
  { services }: Context<SessionServices>,
  input: ParsedInputOf<"get_settings">,
): Promise<OutputOf<"get_settings">> {
  return describeSettings(services, input.session_id);
}

/** The broker's settings, the addresses that follow from them, and one session's settings when it is named. */
export async function describeSettings(
  services: SessionServices,
  sessionRef?: string,
): Promise<OutputOf<"get_settings">> {
  const { settings, addresses, limiter } = services;
  const output = {
    settings: settings.current,
    rate_limits: limiter.rates,
    connection_url: addresses.mcp(),
    base_url: addresses.base(),
  };
  if (sessionRef === undefined) return output;
  return { ...output, session_settings: await readSessionSettings(services, sessionRef) };
}

async function readSessionSettings(services: SessionServices, ref: string): Promise<SessionSettings> {
  const { database } = services;
  const session = await services.sessions.find(ref);
  const row = session && (await findSession(database.orm, database.meshId, session.sessionId));
  if (!row) throw new MerkleError("not_found", `There is no session "${ref}".`);
  return toSessionSettings(row.settings);
}
