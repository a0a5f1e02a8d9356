import type { Peer } from "@merkle/wire";
import { signOwnWords } from "@merkle/wire/identity";
import type { BrokerClient } from "../../broker/broker-client.js";
import type { OwnConfig, OwnPost, SignedPost } from "../../identity/own-words.js";
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
  const launch = peer?.own_words;
  if (!launch?.devices.includes(key.device) || !peer?.session_key) return undefined;
  const words = { purpose: "message" as const, session_id, reply_to: reply_to ?? null, content };
  const own = await signOwnWords(words, { ...launch, peer_id: peer.peer_id }, { key, now: new Date() });
  return { own, to: peer.session_key, address: formatPeerAddress(peer.team, peer.name) };
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

/** Returns the agent that a recipient means, if the recipient means only one peer, and that peer is connected. */
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
  return peer?.kind === "agent" && peer.connected && !another ? peer : undefined;
}

function formatAddress(team: string, name: string | null | undefined): string {
  return name ? `${team}/${name}` : team;
}
