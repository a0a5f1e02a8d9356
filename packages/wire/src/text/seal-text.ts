/** A seal as it stands among other facts: `sealed 412 messages, root 9f2c…e71a`. */
export function sealText({ size, root }: { readonly size: number; readonly root: string }): string {
  return `sealed ${size} ${size === 1 ? "message" : "messages"}, root ${shortHash(root)}`;
}

/** A hash as people are shown it, where it is only to be recognised: its first and its last four digits. */
export function shortHash(hash: string): string {
  return `${hash.slice(0, 4)}…${hash.slice(-4)}`;
}
