/**
 * Percent-encodes an address so that it is safe inside single quotes in a shell, in JSON and in markdown.
 * Anyone who may change settings can choose the address, and agents run examples that contain it.
 */
export function toShellSafeUrl(url: string): string {
  const { href } = new URL(url);
  const encoded = href.replace(/[^A-Za-z0-9\-._~:/%[\]]/g, (char) =>
    encodeURIComponent(char).replace(/['()*!]/g, percentEncode),
  );
  return encoded.replace(/\/+$/, "");
}

function percentEncode(char: string): string {
  return `%${char.charCodeAt(0).toString(16).toUpperCase()}`;
}
