/** The target of a link written by another user. */
export interface WebAddress {
  readonly href: string;
  /** The text that a reader should see before following the link: the host as the browser parses it, or the mail's recipient. */
  readonly label: string;
}

const protocols = new Set(["http:", "https:", "mailto:"]);

/**
 * Parses a link's target. Returns null unless it is an absolute http, https or mailto URL. Uses the browser's own parser, so that
 * no spelling of another scheme gets through.
 */
export function readWebAddress(target: string): WebAddress | null {
  const url = parseUrl(target);
  if (!url || !protocols.has(url.protocol)) return null;
  if (url.protocol === "mailto:") return { href: url.href, label: tryDecode(url.pathname) };
  return url.host === "" ? null : { href: url.href, label: url.host };
}

/**
 * True if a link's text already shows its target: it equals the URL, or begins with it up to the host. Text such as
 * "bank.com" for another host does not count, nor does a user name that looks like a host.
 */
export function isShownInText(text: string, { label, href }: WebAddress): boolean {
  const shownText = text.trim().toLowerCase();
  const beginnings = href.startsWith("mailto:")
    ? [label, `mailto:${label}`]
    : [label, `http://${label}`, `https://${label}`];
  return beginnings.some((beginning) => {
    const start = beginning.toLowerCase();
    return shownText.startsWith(start) && /^(?:$|[/?#])/.test(shownText.slice(start.length));
  });
}

function parseUrl(target: string): URL | null {
  try {
    return new URL(target);
  } catch {
    return null;
  }
}

function tryDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
