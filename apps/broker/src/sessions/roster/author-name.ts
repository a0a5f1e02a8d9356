interface Author {
  readonly name: string;
  readonly kind?: "agent" | "human" | "guest";
  readonly peer: { readonly name: string | null };
}

/** Who did something, as others are told: `team/peer` for a named peer, else the team's name. */
export function authorName({ name, kind, peer }: Author): string {
  if (peer.name !== null) return `${name}/${peer.name}`;
  return kind === "guest" ? guestName(name) : name;
}

/** A guest where there is only a name to tell one by; no name can hold the mark (NAME-3). */
export function guestName(name: string): string {
  return `${name} (guest)`;
}

export function personName({
  name,
  verified,
}: {
  readonly name: string;
  readonly verified: boolean;
}): string {
  return verified ? name : guestName(name);
}
