import { MerkleError } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { ClientMetadata } from "@merkle/wire/schemas";
import { decrypt, encrypt } from "../../core/encrypt.js";
import type { IdentityServices } from "../../identity/context.js";

/** A client as it described itself when it registered. */
export interface RegisteredClient {
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly registeredAtS: number;
}

/** The key of a registration's seal is derived for nothing else. */
const purpose = "OAuth client registration";

/**
 * Registers whoever asks, and stores nothing: the id is the registration itself, sealed with a key of the broker's own, so
 * that a flood of registrations fills nothing and puts no client out (OAUTH-2).
 *
 * @throws bad_request, with `oauth`, the error's name of RFC 7591, in its details
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
  const sealed = encrypt(alertKey.secret, purpose, JSON.stringify(client));
  return { clientId: sealed.toString("base64url"), client };
}

/** The client of an id; null for one that this broker never gave, or gave too long ago. */
export function findClient(
  { alertKey }: Pick<IdentityServices, "alertKey">,
  clientId: string,
): RegisteredClient | null {
  const client = unseal(alertKey.secret, clientId);
  if (!client || client.registeredAtS + limits.clientRegistrationSeconds < Date.now() / 1_000) return null;
  return client;
}

function unseal(secret: string, clientId: string): RegisteredClient | null {
  try {
    return JSON.parse(decrypt(secret, purpose, Buffer.from(clientId, "base64url")));
  } catch {
    // Nobody but this broker can make an id that opens.
    return null;
  }
}
