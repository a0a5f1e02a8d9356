import { type OutputOf, parseInvite } from "@merkle/wire";
import { fromBase64url, proveJoin, signingKeyFrom } from "@merkle/wire/identity";
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
import { keepMember, listMembers, type StoredMember, takeSeed } from "../home/members.js";
import { type BrokerAddress, readConfig } from "../settings/config.js";
import { writeConfigValue } from "../settings/config-file.js";

type Preview = OutputOf<"preview_invite">;

/** The broker that an invite is for: that of its link, unless the call names another. */
export async function findInvitingBroker(
  { base }: GivenInvite,
  { config, flags, io, signal }: CommandContext,
): Promise<BrokerClient> {
  if (base === undefined || config.broker.source === "--url") return findBroker(config, signal);
  // The sender of a link chose the broker that it names: a project's word on another broker is not for it, and neither is a token.
  const sources = { flags: { ...flags, url: base }, env: io.env, cwd: io.cwd };
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
): Promise<{ member: StoredMember; joined: OutputOf<"redeem_invite"> }> {
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
  await keepMember(home, member);
  return { member, joined };
}

/** Where nothing says where the broker is, but `--url` of this one, the commands to come look for it where it was joined. */
export async function rememberAddress(
  { base }: BrokerClient,
  { config, flags, io }: Pick<CommandContext, "config" | "flags" | "io">,
): Promise<boolean> {
  const usual = config.broker.source === "--url" ? await findUsualAddress({ flags, io }) : config.broker;
  if (usual?.source !== "default" || usual.base === base) return false;
  if ((await findRunningBroker(config.home)) !== undefined) return false;
  await writeConfigValue(homeFiles.config(config.home), "mcp_url", base);
  return true;
}

/** Undefined where what names it is bad: the next command says so. */
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

/** An invite as it was given: what proves it, and where its link leads. */
interface GivenInvite {
  /** The secret alone, or the code. */
  readonly words: string;
  /** The broker of the link; undefined for what is not a whole link. */
  readonly base: string | undefined;
}

/**
 * The invite that `merkle join` was given: as its argument, on stdin for `-`, or asked for without being shown.
 *
 * @throws CliError `usage` for what is no invite, which is not repeated: it may be one with a letter missing
 */
export async function readInvite(context: CommandContext): Promise<GivenInvite> {
  const text = (await takeText(context)).trim();
  const words = parseInvite(text);
  if (!words) throw notAnInvite();
  if (words.kind === "code") return { words: text, base: undefined };
  return { words: words.secret, base: baseOfLink(text) };
}

async function takeText(context: CommandContext): Promise<string> {
  const {
    args: [given],
    io,
    signal,
  } = context;
  if (given !== undefined && given !== "-") return given;
  const asks = canAsk(context);
  if (!asks && given === undefined) {
    throw usageError("Pass the invite on stdin so it doesn't end up in your shell history.", "merkle join -");
  }
  if (!asks) return readStdin(io.stdin, { bytesMax: limits.urlCharsMax * 4, signal });
  return createPrompter(context).secret({ message: "Invite link or code (input is hidden)" });
}

function baseOfLink(text: string): string | undefined {
  const link = text.slice(0, text.lastIndexOf("#"));
  if (!URL.canParse(link)) return undefined;
  return toBaseUrl(link.replace(/\/join\/?$/, ""), "The invite's link");
}

function notAnInvite() {
  return usageError(
    "This is not an invite. An invite is a link such as https://mesh.example.com/join#…, the part behind its #, or a code such as 31-7KQ2-M4XD.",
  );
}
