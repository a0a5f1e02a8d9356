import { type OutputOf, parseInvite } from "@merkle/wire";
import { fromBase64url } from "@merkle/wire/identity";
import { deriveSigningKey, proveJoin } from "@merkle/wire/keys";
import { limits } from "@merkle/wire/limits";
import { type BrokerClient, createBrokerClient, findBroker } from "../broker/broker-client.js";
import { toReach } from "../broker/reach.js";
import { findRunningBroker } from "../broker/run-file.js";
import { requireKnown } from "../broker/trust.js";
import { canAsk, createPrompter } from "../command/ask.js";
import type { CommandContext } from "../command/command.js";
import { readStdin } from "../command/read-text.js";
import { toBaseUrl } from "../core/address.js";
import { CliError, exitCodes, usageError } from "../core/cli-error.js";
import { homeFiles } from "../core/merkle-home.js";
import { getOrCreateSeed, listMembers, type StoredMember, saveMember } from "../home/members.js";
import { type BrokerAddress, readConfig } from "../settings/config.js";
import { writeConfigValue } from "../settings/config-file.js";

type Preview = OutputOf<"preview_invite">;

/** Returns the broker that an invite belongs to: the broker in its link, unless `--url` names another. */
export async function findInvitingBroker(
  { base }: InviteInput,
  { config, flags, io, signal }: CommandContext,
): Promise<BrokerClient> {
  if (base === undefined || config.broker.source === "--url") return findBroker(config, signal);
  // The sender of the link chose this broker, so a project's settings and this machine's token must not be
  // used with it.
  const sources = { flags: { ...flags, url: base }, env: io.env, cwd: io.cwd };
  const reach = { ...toReach(await readConfig(sources)), token: null };
  return createBrokerClient({ base, source: "--url", reach }, signal);
}

/**
 * Refuses an invite that can no longer be used. @throws CliError `refused` with the time when the invite
 * ended and the person to ask
 */
export function refuseEndedInvite({ state, inviter, expires_at, revoked_at }: Preview): void {
  const problem = {
    open: undefined,
    used: "was used up",
    expired: `expired at ${expires_at}`,
    revoked: `was revoked${revoked_at === null ? "" : ` at ${revoked_at}`}`,
  }[state];
  if (problem === undefined) return;
  throw new CliError("refused", `This invite ${problem}. Ask ${inviter} for a new one.`, {
    exitCode: exitCodes.refused,
    details: { state, inviter },
  });
}

/**
 * Returns whether this home is already a member of the mesh. A member can join again even with a used invite.
 */
export async function isJoined({ home }: { readonly home: string }, meshId: string): Promise<boolean> {
  return (await listMembers(home)).some((each) => each.mesh_id === meshId);
}

/** Joins the mesh by proving ownership of this home's key to the broker, and stores the membership. */
export async function joinMesh(
  broker: BrokerClient,
  { words, preview, name }: { readonly words: string; readonly preview: Preview; readonly name: string },
  home: string,
): Promise<{ member: StoredMember; joined: OutputOf<"redeem_invite"> }> {
  // Check before proving ownership of the key, because a broker could claim another broker's id to obtain
  // credentials for that broker.
  await requireKnown(preview, { ...broker.address, home });
  const seed = await getOrCreateSeed(home, preview.broker_id);
  const bytes = fromBase64url(seed, 32);
  if (!bytes) throw damagedKey(home);
  const memberKey = deriveSigningKey(bytes);
  const joined = await broker.call(
    "redeem_invite",
    proveJoin({ brokerId: preview.broker_id, invite: words, name, memberKey }),
  );
  if (joined.mesh_id !== preview.mesh_id || joined.broker_id !== preview.broker_id) {
    throw new CliError(
      "refused",
      "The broker admitted you to a different mesh than the invite is for. Nothing was saved.",
      {
        exitCode: exitCodes.refused,
      },
    );
  }
  const earlier = (await listMembers(home)).find((each) => each.mesh_id === joined.mesh_id);
  const member: StoredMember = {
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
  await saveMember(home, member);
  return { member, joined };
}

/**
 * Stores the broker's address for later commands, unless a setting already names a broker. Returns whether
 * the address was stored.
 */
export async function saveAddress(
  { base }: BrokerClient,
  { config, flags, io }: Pick<CommandContext, "config" | "flags" | "io">,
): Promise<boolean> {
  const usualAddress =
    config.broker.source === "--url" ? await findUsualAddress({ flags, io }) : config.broker;
  if (usualAddress?.source !== "default" || usualAddress.base === base) return false;
  if ((await findRunningBroker(config.home)) !== undefined) return false;
  await writeConfigValue(homeFiles.config(config.home), "mcp_url", base);
  return true;
}

/**
 * Returns the address that commands use without `--url`. Undefined if a setting is invalid. The next command
 * reports such a setting.
 */
async function findUsualAddress({
  flags,
  io,
}: Pick<CommandContext, "flags" | "io">): Promise<BrokerAddress | undefined> {
  const sources = { flags: { ...flags, url: undefined }, env: io.env, cwd: io.cwd };
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

/** An invite that the user gave: its secret or code, and the broker in its link. */
interface InviteInput {
  /** The secret without the rest of the link, or the code. */
  readonly words: string;
  /** The broker in the link. Undefined if the invite is not a link. */
  readonly base: string | undefined;
}

/**
 * Reads the invite for `merkle join` from the argument, from stdin if the argument is `-`, or from a prompt
 * that hides the input.
 *
 * @throws CliError `usage` if the text is not an invite; the error does not repeat the text, which may be an
 * invite with a typo
 */
export async function readInvite(context: CommandContext): Promise<InviteInput> {
  const text = (await readInviteText(context)).trim();
  const words = parseInvite(text);
  if (!words) throw notAnInvite();
  if (words.kind === "code") return { words: text, base: undefined };
  return { words: words.secret, base: findBaseUrl(text) };
}

async function readInviteText(context: CommandContext): Promise<string> {
  const {
    args: [argument],
    io,
    signal,
  } = context;
  if (argument !== undefined && argument !== "-") return argument;
  const isInteractive = canAsk(context);
  if (!isInteractive && argument === undefined) {
    throw usageError("Pass the invite on stdin so it doesn't end up in your shell history.", "merkle join -");
  }
  if (!isInteractive) return readStdin(io.stdin, { bytesMax: limits.urlCharsMax * 4, signal });
  return createPrompter(context).askSecret({ message: "Invite link or code (input is hidden)" });
}

function findBaseUrl(text: string): string | undefined {
  const link = text.slice(0, text.lastIndexOf("#"));
  if (!URL.canParse(link)) return undefined;
  return toBaseUrl(link.replace(/\/join\/?$/, ""), "The invite's link");
}

function notAnInvite() {
  return usageError(
    "This is not an invite. An invite is a link such as https://mesh.example.com/join#…, the part behind its #, or a code such as 31-7KQ2-M4XD.",
  );
}
