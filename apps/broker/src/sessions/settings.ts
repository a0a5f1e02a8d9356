import { findSession, lockSession, mergeBrokerSettings } from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf, type SessionSettings } from "@merkle/wire";
import { isLoopbackUrl } from "../identity/origin/auth-mode.js";
import { adminsOnly } from "./access/authorize.js";
import type { Context, SessionServices } from "./context.js";
import { changeSessionSettings, toSessionSettings } from "./session-settings.js";

export async function getSettings(
  { services }: Context<SessionServices>,
  input: ParsedInputOf<"get_settings">,
): Promise<OutputOf<"get_settings">> {
  return describeSettings(services, input.session_id);
}

/**
 * Returns the broker's settings, the addresses derived from them and, if a session is named, the session's
 * settings.
 */
async function describeSettings(
  services: SessionServices,
  sessionRef?: string,
): Promise<OutputOf<"get_settings">> {
  const { settings, addresses, limiter } = services;
  const output = {
    settings: settings.current,
    rate_limits: limiter.rates,
    connection_url: addresses.getMcpUrl(),
    base_url: addresses.getBaseUrl(),
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

/** Changes the broker's settings, a session's settings or both, in one transaction (SET-5). */
export async function updateSettings(
  ctx: Context<SessionServices>,
  input: ParsedInputOf<"update_settings">,
): Promise<OutputOf<"update_settings">> {
  const { database, settings, sessions } = ctx.services;
  const session = input.session_id === undefined ? null : await sessions.find(input.session_id);
  if (input.session_id !== undefined && !session) {
    throw new MerkleError("not_found", `There is no session "${input.session_id}".`);
  }
  refuseCrossedThresholds(
    input.settings?.active_within_s ?? settings.current.active_within_s,
    input.settings?.disconnected_after_s ?? settings.current.disconnected_after_s,
  );

  if (input.settings) requireAdmin(ctx);
  if (ctx.services.auth === "open" && input.settings?.exclusive_membership) throw noMembersHere();
  if (ctx.services.isLoopbackOnly) refusePublicUrl(input.settings?.public_url);
  await ctx.write(async (write) => {
    const { tx } = write;
    if (input.settings) await mergeBrokerSettings(tx, input.settings);
    if (session && input.session_settings) {
      const { sessionId } = session;
      await lockSession(tx, sessionId);
      const row = await findSession(tx, database.meshId, sessionId);
      const old = toSessionSettings(row?.settings);
      const by = nameOfCaller(ctx);
      await changeSessionSettings(write, {
        ...{ sessionId, by, old, settings: input.session_settings },
        causedBy: null,
      });
    }
    return {};
  });
  await settings.reload();
  if (input.settings) ctx.services.bus.publish("settings", {});
  announceSettings(ctx.services, input.settings ? null : (session?.sessionId ?? null), session?.sessionId);
  return describeSettings(ctx.services, input.session_id);
}

/** Returns the name of the calling person, or of the member if no person is calling. */
function nameOfCaller({ person, principal }: Context<SessionServices>): string {
  if (person) return person.name;
  if (principal?.kind === "member") return principal.name;
  throw new TypeError("Only a person or a member can change settings.");
}

/**
 * Announces the change. Also announces a change to `attention`, because budgets and the silence limit determine
 * what waits for a human.
 */
function announceSettings(
  { mesh, meshChannels, channels }: SessionServices,
  changedSessionId: string | null,
  sessionId: string | undefined,
): void {
  for (const kind of ["settings", "attention"] as const) {
    if (changedSessionId === null) meshChannels.announceEverywhere(kind);
    else mesh.announce(kind, changedSessionId);
  }
  if (sessionId !== undefined) {
    channels.announceChange(sessionId, "session", channels.find(sessionId)?.head ?? 0);
  }
}

/**
 * Refuses callers who are not admins. The broker's settings affect everyone, whereas a session's settings may
 * be changed by anyone in the session.
 */
function requireAdmin({ principal }: Context<SessionServices>): void {
  if (principal?.kind === "member" && principal.role !== "admin") throw adminsOnly("update_settings");
}

/**
 * Refuses a public URL in open mode, because a public URL invites clients on other machines, and all of them
 * would be admitted (AUTH-5).
 */
function refusePublicUrl(url: string | null | undefined): void {
  if (url == null || isLoopbackUrl(url)) return;
  throw new MerkleError(
    "bad_request",
    `public_url ${JSON.stringify(url)} is an address for other machines, but this broker is open to anyone who can reach it. ` +
      `Restart it with merkle up --public-url ${url}: it then admits only members. Behind a proxy, add --trusted-proxy <the proxy's address>.`,
  );
}

/**
 * Builds the error for a setting that needs members, which open mode does not have. Names prove nothing in open
 * mode: the first caller to use a name would lock out the name's owner.
 */
function noMembersHere(): MerkleError {
  return new MerkleError(
    "bad_request",
    "exclusive_membership needs members, but this broker is in open mode, where anyone can join under any name and keep others out. " +
      "Restart it with merkle up --auth invite.",
  );
}

function refuseCrossedThresholds(activeWithinS: number, disconnectedAfterS: number): void {
  if (activeWithinS < disconnectedAfterS) return;
  throw new MerkleError(
    "bad_request",
    `The time until a team counts as disconnected (${disconnectedAfterS} s) must be longer than the time that it counts as active (${activeWithinS} s).`,
  );
}
