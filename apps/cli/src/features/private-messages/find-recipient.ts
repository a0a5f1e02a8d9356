import { MerkleError, type Peer } from "@merkle/wire";
import { formatInlineAddress } from "@merkle/wire/text";

/**
 * Finds the recipient of a private message by the broker's rules (SEND-2), except that a name must match
 * exactly one peer.
 *
 * @throws not_found if no peer matches, bad_request if several peers do
 */
export function findRecipient(peers: readonly Peer[], to: string, ownPeerId: string): Peer {
  const others = peers.filter(({ peer_id, left_at }) => peer_id !== ownPeerId && left_at === null);
  const wanted = to.trim().toLowerCase();
  const matches =
    [
      others.filter((peer) => formatAddress(peer).toLowerCase() === wanted && peer.name !== null),
      others.filter(({ session_key }) => session_key === to.trim()),
      others.filter(({ name }) => name?.toLowerCase() === wanted),
      others.filter(({ team }) => team.toLowerCase() === wanted),
    ].find((each) => each.length > 0) ?? [];
  const [peer, another] = matches;
  if (peer && !another) return peer;
  const candidates = (peer ? matches : others).map((each) => formatInlineAddress(each.team, each.name));
  if (peer) {
    throw new MerkleError(
      "bad_request",
      `A private message needs exactly one recipient, but "${to}" can mean ${candidates.join(" or ")}. Nothing was sent.`,
      { to, there: candidates },
    );
  }
  throw new MerkleError(
    "not_found",
    `There is no "${to}" in this session, so nothing was sent. In this session: ${candidates.slice(0, 20).join(", ") || "no one else"}.`,
    { to, there: candidates.slice(0, 20) },
  );
}

/** Returns a peer's address in the form used to show a message's author. */
export function formatAddress({
  team,
  name,
}: {
  readonly team: string;
  readonly name: string | null;
}): string {
  return name === null ? team : `${team}/${name}`;
}
