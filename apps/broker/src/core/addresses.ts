import type { SettingsStore } from "./settings-store.js";

/** The addresses that the broker gives out (SET-3). */
export interface Addresses {
  /** Where this process listens; set once it does. */
  readonly listening: string;
  /** `http://host:port`, or the public URL's base. */
  base(): string;
  mcp(): string;
  webSocket(): string;
  /** The pin of the broker's own certificate where `base` leads to it and no public authority signed it; else null. */
  keyPin(): string | null;
}

/** @param certificate - the certificate that the broker itself serves with, if it does */
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

/** The MCP endpoint of an address; one that names an endpoint is given out as it is. */
export function mcpOf(url: string): string {
  const given = url.replace(/\/+$/, "");
  return given.endsWith("/mcp") ? given : `${baseOf(url)}/api/mcp`;
}

/** The base of an address that may name an MCP endpoint (SET-3). */
export function baseOf(url: string): string {
  return url.replace(/\/+$/, "").replace(/(?:\/api)?\/mcp$/, "");
}
