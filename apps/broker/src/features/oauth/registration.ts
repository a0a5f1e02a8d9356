import { MerkleError } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { ClientMetadata } from "@merkle/wire/schemas";
import { decrypt, encrypt } from "../../core/encrypt.js";
import type { IdentityServices } from "../../identity/context.js";

/** A client's description of itself at registration. */
export interface RegisteredClient {
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly registeredAtS: number;
}

/** Derives a key that is used only to encrypt registrations. */
const purpose = "OAuth client registration";

/**
 * Registers any client without storing anything. The client id contains the registration, encrypted with the
 * broker's key. A flood of registrations therefore fills no storage and evicts no other client (OAUTH-2).
 *
 * @throws bad_request, with the RFC 7591 error name in `details.oauth`
 */
export function registerClient(
  { alertKey }: Pick<IdentityServices, "alertKey">,
  metadata: unknown,
): { readonly clientId: string; readonly client: RegisteredClient } {
  const parsed = ClientMetadata.safeParse(metadata ?? {});
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const [field] = issue?.path ?? [];
    throw new MerkleError("bad_request", `${String(field)}: ${issue?.message}.`, {
      oauth: field === "redirect_uris" ? "invalid_redirect_uri" : "invalid_client_metadata",
    });
  }
  const { client_name: name, redirect_uris: redirectUris } = parsed.data;
  const client = { name, redirectUris, registeredAtS: Math.floor(Date.now() / 1_000) };
  const encrypted = encrypt(alertKey.secret, purpose, JSON.stringify(client));
  return { clientId: encrypted.toString("base64url"), client };
}

/**
 * Returns the registered client, or null if this broker did not issue the id or the registration has expired.
 */
export function findClient(
  { alertKey }: Pick<IdentityServices, "alertKey">,
  clientId: string,
): RegisteredClient | null {
  const client = decryptClient(alertKey.secret, clientId);
  if (!client || client.registeredAtS + limits.clientRegistrationSeconds < Date.now() / 1_000) return null;
  return client;
}

function decryptClient(secret: string, clientId: string): RegisteredClient | null {
  try {
    return JSON.parse(decrypt(secret, purpose, Buffer.from(clientId, "base64url")));
  } catch {
    // An id that does not decrypt was not issued by this broker.
    return null;
  }
}
