/** Who did something, as others are told: `team/peer` for a named peer, else the team's name. */
export function authorName({
  name,
  peer,
}: {
  readonly name: string;
  readonly peer: { readonly name: string | null };
}): string {
  return peer.name === null ? name : `${name}/${peer.name}`;
}
