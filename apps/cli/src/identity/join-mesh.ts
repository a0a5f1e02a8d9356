import type { OutputOf } from "@merkle/wire";
import { type BrokerClient, createBrokerClient, findBroker } from "../broker/broker-client.js";
import { toReach } from "../broker/reach.js";
import { findRunningBroker } from "../broker/run-file.js";
import type { CommandContext } from "../command/command.js";
import type { Flags } from "../command/flags.js";
import { type BrokerAddress, readConfig } from "../config.js";
import { writeConfigValue } from "../config-file.js";
import { CliError, exitCodes } from "../core/cli-error.js";
import { homeFiles } from "../core/merkle-home.js";
import type { GivenInvite } from "../member/read-invite.js";
import { requireKnown } from "../trust/require-known.js";
import { type HeldMember, keepMember, listMembers, takeSeed } from "./members.js";

export type Preview = OutputOf<"preview_invite">;

/** The broker that an invite is for: that of its link, unless the call names another. */
export async function findInvitingBroker(
  { base }: GivenInvite,
  { config, flags, signal }: CommandContext,
): Promise<BrokerClient> {
  if (base === undefined || config.broker.source === "--url") return findBroker(config, signal);
  // Whom a link names, its sender chose: a project's word on another broker is not for it, and neither is a token.
  const sources = { flags: { ...flags, url: base }, env: process.env, cwd: process.cwd() };
  const reach = { ...toReach(await readConfig(sources)), token: null };
  return createBrokerClient({ base, source: "--url", reach }, signal);
}

/** @throws CliError `refused` for an invite that lets nobody in, with when it ended and whom to ask */
export function refuseEnded({ state, inviter, expires_at, revoked_at }: Preview): void {
  const ended = {
    open: undefined,
    used: "was used up",
    expired: `expired at ${expires_at}`,
    revoked: `was revoked${revoked_at === null ? "" : ` at ${revoked_at}`}`,
  }[state];
  if (ended === undefined) return;
  throw new CliError("refused", `This invite ${ended}. Ask ${inviter} for a new one.`, {
    exitCode: exitCodes.refused,
    details: { state, inviter },
  });
}

/** Whether this home's key was let in by this mesh already: then even a used invite lets it in again. */
export async function isJoined({ home }: { readonly home: string }, meshId: string): Promise<boolean> {
  return (await listMembers(home)).some((each) => each.mesh_id === meshId);
}

/** Proves this home's key to the broker, and keeps what it is a member of. */
export async function joinMesh(
  broker: BrokerClient,
  { words, preview, name }: { readonly words: string; readonly preview: Preview; readonly name: string },
  home: string,
): Promise<{ member: HeldMember; joined: OutputOf<"redeem_invite"> }> {
  const { fromBase64url, proveJoin, signingKeyFrom } = await import("@merkle/wire/identity");
  // Before anything is proved: a broker may call itself by another's name to get at what is held for that one.
  await requireKnown(preview, { ...broker.address, home });
  const seed = await takeSeed(home, preview.broker_id);
  const bytes = fromBase64url(seed, 32);
  if (!bytes) throw damagedKey(home);
  const memberKey = signingKeyFrom(bytes);
  const joined = await broker.call(
    "redeem_invite",
    proveJoin({ brokerId: preview.broker_id, invite: words, name, memberKey }),
  );
  if (joined.mesh_id !== preview.mesh_id || joined.broker_id !== preview.broker_id) {
    throw new CliError(
      "refused",
      "The broker let you into another mesh than its invite is for. Nothing was kept.",
      {
        exitCode: exitCodes.refused,
      },
    );
  }
  const earlier = (await listMembers(home)).find((each) => each.mesh_id === joined.mesh_id);
  const member: HeldMember = {
    broker_id: joined.broker_id,
    mesh_id: joined.mesh_id,
    mesh: joined.mesh,
    member_id: joined.member_id,
    name: joined.name,
    role: joined.role,
    urls: [...new Set([...(earlier?.urls ?? []), broker.base])],
    seed,
    joined_at: earlier?.joined_at ?? new Date().toISOString(),
    token: earlier?.token ?? null,
  };
  await keepMember(home, member);
  return { member, joined };
}

/** Where nothing says where the broker is, but `--url` of this one, the commands to come look for it where it was joined. */
export async function rememberAddress(
  { base }: BrokerClient,
  { config, flags }: Pick<CommandContext, "config" | "flags">,
): Promise<boolean> {
  const usual = config.broker.source === "--url" ? await findUsualAddress(flags) : config.broker;
  if (usual?.source !== "default" || usual.base === base) return false;
  if ((await findRunningBroker(config.home)) !== undefined) return false;
  await writeConfigValue(homeFiles.config(config.home), "mcp_url", base);
  return true;
}

/** Undefined where what names it is bad: the next command says so. */
async function findUsualAddress(flags: Flags): Promise<BrokerAddress | undefined> {
  const sources = { flags: { ...flags, url: undefined }, env: process.env, cwd: process.cwd() };
  return readConfig(sources).then(
    ({ broker }) => broker,
    () => undefined,
  );
}

function damagedKey(home: string): CliError {
  return new CliError("damaged_key", `A key in ${homeFiles.members(home)} is damaged.`, {
    exitCode: exitCodes.unexpected,
    next: ["remove the .key file of this broker, and ask for a new invite"],
  });
}
