import type { OwnSignature, Peer } from "@merkle/wire";
import { type DeviceKey, type OwnWords, signOwnWords, toAnswerWords } from "@merkle/wire/identity";
import type { BrokerClient } from "../../broker/broker-client.js";
import { CliError, exitCodes } from "../../core/cli-error.js";
import type { OwnAnswer, OwnConfig, OwnPost, SignedPost } from "../../identity/own-words.js";
import { formatPeerAddress } from "../../sessions/peer-names.js";
import { findDeviceKey } from "./device-key.js";

/**
 * Signs a message of this home's person (OWN-3), unless this is an agent's shell: there the message is the agent's. A
 * message that is not for exactly one agent, or whose agent does not count this home, is not signed.
 */
export async function signPost(
  { session: { session_id }, content, to, reply_to }: OwnPost,
  { home, agentShell }: OwnConfig,
  broker: Pick<BrokerClient, "call">,
): Promise<SignedPost | undefined> {
  const key = agentShell === undefined ? findDeviceKey(home) : undefined;
  const recipients = typeof to === "string" ? [to] : to;
  if (!key || (recipients ?? []).length > 1) return undefined;
  const recipient = recipients?.[0] ?? (await findAuthor(broker, session_id, reply_to));
  if (recipient === undefined) return undefined;
  const { peers } = await broker.call("list_peers", { session_id });
  const peer = findAgent(peers, recipient);
  if (!peer?.connected || !peer.session_key) return undefined;
  const words = { purpose: "message", session_id, reply_to: reply_to ?? null, content } as const;
  const own = await signFor(peer, words, key);
  return own && { own, to: peer.session_key, address: formatPeerAddress(peer.team, peer.name) };
}

/**
 * Signs the answer of this home's person to an agent's questions (APPROVE-13).
 *
 * @throws CliError `forbidden` if the agent's launch names devices, but not this home
 */
export async function signAnswer(
  answer: OwnAnswer,
  askedBy: string,
  { home, agentShell }: OwnConfig,
  broker: Pick<BrokerClient, "call">,
): Promise<OwnSignature | undefined> {
  const { peers } = await broker.call("list_peers", { session_id: answer.session_id });
  const peer = findAgent(peers, askedBy);
  if (!peer?.own_words) return undefined;
  const key = agentShell === undefined ? findDeviceKey(home) : undefined;
  const own = key && (await signFor(peer, toAnswerWords(answer), key));
  if (own) return own;
  throw new CliError(
    "forbidden",
    `${askedBy} takes answers only from devices that were named when it was launched, and this home is not one of them. Answer in its terminal.`,
    { exitCode: exitCodes.refused, next: ["merkle help launch"] },
  );
}

/** Signs words for a peer's launch. Returns undefined if the launch does not name the key's device. */
async function signFor(
  { peer_id, own_words: launch }: Peer,
  words: OwnWords,
  key: DeviceKey,
): Promise<OwnSignature | undefined> {
  if (!launch?.devices.includes(key.device)) return undefined;
  return signOwnWords(words, { ...launch, peer_id }, { key, now: new Date() });
}

/** Returns the address of the author of a message: a reply goes to its author (SEND-12). */
async function findAuthor(
  broker: Pick<BrokerClient, "call">,
  session_id: string,
  sequence: number | undefined,
): Promise<string | undefined> {
  if (sequence === undefined) return undefined;
  const page = await broker.call("get_history", { session_id, before_cursor: sequence + 1, limit: 1 });
  const from = page.messages.find((message) => message.sequence === sequence)?.from;
  return from ? formatAddress(from.team, from.peer) : undefined;
}

/** Returns the agent that a recipient means, if the recipient means only one peer. */
function findAgent(peers: readonly Peer[], recipient: string): Peer | undefined {
  const wanted = recipient.trim().toLowerCase();
  const present = peers.filter(({ left_at }) => left_at === null);
  const matches = [
    ({ team, name }: Peer) => name !== null && formatAddress(team, name).toLowerCase() === wanted,
    ({ name }: Peer) => name?.toLowerCase() === wanted,
    ({ team }: Peer) => team.toLowerCase() === wanted,
  ]
    .map((isMatch) => present.filter(isMatch))
    .find((each) => each.length > 0);
  const [peer, another] = matches ?? [];
  return peer?.kind === "agent" && !another ? peer : undefined;
}

function formatAddress(team: string, name: string | null | undefined): string {
  return name ? `${team}/${name}` : team;
}
