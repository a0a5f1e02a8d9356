/** The beginning of a hash, as Git shows it to people. */
export function shortHash(hash: string): string {
  return hash.slice(0, 8);
}
