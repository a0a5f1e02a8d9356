import { MerkleError, type ParsedInputOf } from "@merkle/wire";
import type { IdentityServices } from "../../identity/context.js";
import { findClient, type RegisteredClient } from "./registration.js";

/** A validated authorisation request. Its client, redirect URI and resource match each other. */
export interface AuthorizationRequest {
  readonly client: RegisteredClient;
  /** Returns the redirect URL that delivers these fields to the client. */
  toRedirectUrl(fields: Readonly<Record<string, string>>): string;
}

/**
 * Returns the resources for which tokens can be issued: the two URLs of the broker's MCP endpoint (RFC 8707).
 */
export function toResources({ addresses }: Pick<IdentityServices, "addresses">): string[] {
  return ["/api/mcp", "/mcp"].map((path) => `${addresses.getBaseUrl()}${path}`);
}

/**
 * Validates an authorisation request (OAUTH-3). Errors are shown to the person and never sent to the redirect
 * URI, because that URI itself may be the invalid part.
 *
 * @throws bad_request
 */
export function parseAuthorizationRequest(
  services: Pick<IdentityServices, "addresses" | "alertKey">,
  input: Omit<ParsedInputOf<"preview_client">, "team_id">,
): AuthorizationRequest {
  const { client_id, redirect_uri, resource, state } = input;
  const client = findClient(services, client_id);
  if (!client) {
    throw new MerkleError(
      "bad_request",
      "This broker does not know the client: it was registered at another broker, or too long ago. Remove the client and add it again.",
      { field: "client_id" },
    );
  }
  if (!client.redirectUris.includes(redirect_uri)) {
    throw new MerkleError(
      "bad_request",
      `The client did not register the redirect address ${JSON.stringify(redirect_uri)}. Do not authorise the site that sent you here.`,
      { field: "redirect_uri" },
    );
  }
  const resources = toResources(services);
  if (!resources.includes(resource)) {
    throw new MerkleError(
      "bad_request",
      `The client asks for a token for ${JSON.stringify(resource)}, but tokens of this broker are valid only for ${resources.join(" and ")}.`,
      { field: "resource", resources },
    );
  }
  return {
    client,
    toRedirectUrl(fields) {
      const url = new URL(redirect_uri);
      const all = { ...fields, ...(state !== undefined && { state }), iss: services.addresses.getBaseUrl() };
      for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value);
      return url.href;
    },
  };
}
