import type { SettingsStore } from "./settings-store.js";

/** The broker's addresses for clients (SET-3). */
export interface Addresses {
  /** The address that this process listens on. Available only once the process is listening. */
  readonly listening: string;
  /** Returns `http://host:port`, or the base of the public URL. */
  base(): string;
  mcp(): string;
  webSocket(): string;
  /**
   * Returns the pin of the broker's own certificate, if clients reach the broker directly at `base` and no
   * public authority signed the certificate. Otherwise returns null.
   */
  keyPin(): string | null;
}

/** @param certificate - returns the certificate that the broker itself serves, or null */
export function createAddresses(
  settings: SettingsStore,
  listening: () => string,
  certificate: () => { readonly names: readonly string[]; readonly keyPin: string | null } | null,
): Addresses {
  const base = () => baseOf(settings.current.public_url ?? listening());
  return {
    get listening() {
      return listening();
    },
    base,
    mcp: () => mcpOf(settings.current.public_url ?? listening()),
    webSocket: () => `${base().replace(/^http/, "ws")}/ws`,
    keyPin() {
      const own = certificate();
      const isOwn = base() === listening() || own?.names.includes(new URL(base()).hostname);
      return own && isOwn ? own.keyPin : null;
    },
  };
}

/**
 * Returns the URL of the MCP endpoint for an address. An address that already names an endpoint is returned
 * unchanged.
 */
export function mcpOf(url: string): string {
  const given = url.replace(/\/+$/, "");
  return given.endsWith("/mcp") ? given : `${baseOf(url)}/api/mcp`;
}

/** Returns the base URL of an address, which may also be the address of an MCP endpoint (SET-3). */
export function baseOf(url: string): string {
  return url.replace(/\/+$/, "").replace(/(?:\/api)?\/mcp$/, "");
}
