import type { SettingsStore } from "./settings-store.js";

/** The broker's addresses for clients (SET-3). */
export interface Addresses {
  /** The address that this process listens on. Available only once the process is listening. */
  readonly listeningUrl: string;
  /** Returns `http://host:port`, or the base of the public URL. */
  getBaseUrl(): string;
  getMcpUrl(): string;
  getWebSocketUrl(): string;
  /**
   * Returns the pin of the broker's own certificate, if clients reach the broker directly at `base` and no
   * public authority signed the certificate. Otherwise returns null.
   */
  findKeyPin(): string | null;
}

/** @param findCertificate - returns the certificate that the broker itself serves, or null */
export function createAddresses(
  settings: SettingsStore,
  getListeningUrl: () => string,
  findCertificate: () => { readonly names: readonly string[]; readonly keyPin: string | null } | null,
): Addresses {
  const getBaseUrl = () => toBaseUrl(settings.current.public_url ?? getListeningUrl());
  return {
    get listeningUrl() {
      return getListeningUrl();
    },
    getBaseUrl,
    getMcpUrl: () => toMcpUrl(settings.current.public_url ?? getListeningUrl()),
    getWebSocketUrl: () => `${getBaseUrl().replace(/^http/, "ws")}/ws`,
    findKeyPin() {
      const own = findCertificate();
      const isOwn = getBaseUrl() === getListeningUrl() || own?.names.includes(new URL(getBaseUrl()).hostname);
      return own && isOwn ? own.keyPin : null;
    },
  };
}

/**
 * Returns the URL of the MCP endpoint for an address. An address that already names an endpoint is returned
 * unchanged.
 */
export function toMcpUrl(url: string): string {
  const trimmed = url.replace(/\/+$/, "");
  return trimmed.endsWith("/mcp") ? trimmed : `${toBaseUrl(url)}/api/mcp`;
}

/** Returns the base URL of an address, which may also be the address of an MCP endpoint (SET-3). */
export function toBaseUrl(url: string): string {
  return url.replace(/\/+$/, "").replace(/(?:\/api)?\/mcp$/, "");
}
