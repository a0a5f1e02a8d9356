/**
 * An address that stays an address inside single quotes in a shell, in JSON and in markdown. Whoever may change settings
 * chooses it, and agents run the examples that hold it: everything special is percent-encoded.
 */
export function toShellSafeUrl(url: string): string {
  const { href } = new URL(url);
  const encoded = href.replace(/[^A-Za-z0-9\-._~:/%[\]]/g, (char) =>
    encodeURIComponent(char).replace(/['()*!]/g, hex),
  );
  return encoded.replace(/\/+$/, "");
}

function hex(char: string): string {
  return `%${char.charCodeAt(0).toString(16).toUpperCase()}`;
}
