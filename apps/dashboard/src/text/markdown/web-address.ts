/** Where a link that somebody else wrote may lead. */
export interface WebAddress {
  readonly href: string;
  /** The words that a reader should see before following it: the host as the browser reads it, or the recipient of a mail. */
  readonly place: string;
}

const protocols = new Set(["http:", "https:", "mailto:"]);

/**
 * Reads a link's target; null for whatever is not an absolute http, https or mailto address. The browser's own parser
 * decides, so that no spelling of another scheme slips through.
 */
export function readWebAddress(target: string): WebAddress | null {
  const url = parseUrl(target);
  if (!url || !protocols.has(url.protocol)) return null;
  if (url.protocol === "mailto:") return { href: url.href, place: decodedOr(url.pathname) };
  return url.host === "" ? null : { href: url.href, place: url.host };
}

/**
 * Whether a link's text already shows where it leads: it is the address, or the beginning of it up to the host. "bank.com"
 * in front of another host is not, nor is a host behind a user name that looks like one.
 */
export function showsPlace(text: string, { place, href }: WebAddress): boolean {
  const said = text.trim().toLowerCase();
  const beginnings = href.startsWith("mailto:")
    ? [place, `mailto:${place}`]
    : [place, `http://${place}`, `https://${place}`];
  return beginnings.some((beginning) => {
    const start = beginning.toLowerCase();
    return said.startsWith(start) && /^(?:$|[/?#])/.test(said.slice(start.length));
  });
}

function parseUrl(target: string): URL | null {
  try {
    return new URL(target);
  } catch {
    return null;
  }
}

function decodedOr(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
