import type { SettingsStore } from "./settings-store.js";

/** The addresses that the broker gives out (SET-3). */
export interface Addresses {
  /** Where this process listens; set once it does. */
  readonly listening: string;
  /** `http://host:port`, or the public URL's base. */
  base(): string;
  mcp(): string;
  webSocket(): string;
}

export function createAddresses(settings: SettingsStore, listening: () => string): Addresses {
  const base = () => baseOf(settings.current.public_url ?? listening());
  return {
    get listening() {
      return listening();
    },
    base,
    mcp: () => mcpOf(settings.current.public_url ?? listening()),
    webSocket: () => `${base().replace(/^http/, "ws")}/ws`,
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
