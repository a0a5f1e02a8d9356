/** The target of a link written by another user. */
export interface WebAddress {
  readonly href: string;
  /** The text that a reader should see before following the link: the host as the browser parses it, or the mail's recipient. */
  readonly place: string;
}

const protocols = new Set(["http:", "https:", "mailto:"]);

/**
 * Parses a link's target. Returns null unless it is an absolute http, https or mailto URL. Uses the browser's own parser, so that
 * no spelling of another scheme gets through.
 */
export function readWebAddress(target: string): WebAddress | null {
  const url = parseUrl(target);
  if (!url || !protocols.has(url.protocol)) return null;
  if (url.protocol === "mailto:") return { href: url.href, place: decodeOr(url.pathname) };
  return url.host === "" ? null : { href: url.href, place: url.host };
}

/**
 * True if a link's text already shows its target: it equals the URL, or begins with it up to the host. Text such as
 * "bank.com" for another host does not count, nor does a user name that looks like a host.
 */
export function isShownPlace(text: string, { place, href }: WebAddress): boolean {
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

function decodeOr(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
