/** The addresses for agents, derived from the address that a person typed. */
export interface ConnectionAddress {
  readonly base: string;
  readonly mcp: string;
}

export type ParsedAddress =
  | { readonly address: ConnectionAddress; readonly problem: null }
  | { readonly address: null; readonly problem: string };

const charsMax = 300;

/**
 * Parses a typed connection URL. A URL with a path to an MCP endpoint is used unchanged. Characters that a shell, JSON or Claude
 * Code's variable expansion would interpret are percent-encoded, because people run the commands that contain the URL.
 */
export function parseConnectionAddress(input: string): ParsedAddress {
  const text = input.trim();
  if (text === "") return refuse("Enter the address agents use to reach this broker.");
  if (text.length > charsMax) return refuse(`The address can be up to ${charsMax} characters.`);
  const url = toUrl(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  if (!url || url.hostname === "") return refuse("Not a valid address. Example: https://mesh.example.com");
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return refuse("The address must begin with http:// or https://");
  if (url.username || url.password)
    return refuse("Remove the user name and password: everyone can see this address.");
  if (url.search || url.hash) return refuse("Remove everything after ? or #.");
  const href = toShellSafe(url.href);
  const base = href.replace(/(?:\/api)?\/mcp$/, "");
  return { address: { base, mcp: href === base ? `${base}/api/mcp` : href }, problem: null };
}

/** True if an address refers to the machine on which it is used. */
export function isOfThisMachine(address: string): boolean {
  const host = toUrl(address)?.hostname ?? "";
  return host === "localhost" || host === "[::1]" || host.startsWith("127.");
}

function toUrl(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}

function refuse(problem: string): ParsedAddress {
  return { address: null, problem };
}

function toShellSafe(href: string): string {
  const encoded = href.replace(/[^A-Za-z0-9\-._~:/%[\]]/g, (char) =>
    encodeURIComponent(char).replace(
      /['()*!]/g,
      (punctuation) => `%${punctuation.charCodeAt(0).toString(16).toUpperCase()}`,
    ),
  );
  return encoded.replace(/\/+$/, "");
}
