/** Formats a record's seal for use within a line: `sealed 412 messages, root 9f2c…e71a`. */
export function formatSealSummary({ size, root }: { readonly size: number; readonly root: string }): string {
  return `sealed ${size} ${size === 1 ? "message" : "messages"}, root ${shortenHash(root)}`;
}

/** Shortens a hash to its first and last four digits, so that people can recognise it. */
export function shortenHash(hash: string): string {
  return `${hash.slice(0, 4)}…${hash.slice(-4)}`;
}
