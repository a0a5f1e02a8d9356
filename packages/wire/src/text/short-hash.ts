/** A hash as people are shown it, where it is only to be recognised: its first and its last four digits. */
export function shortHash(hash: string): string {
  return `${hash.slice(0, 4)}…${hash.slice(-4)}`;
}
