import { MerkleError, type ParsedInputOf } from "@merkle/wire";
import type { IdentityServices } from "../../identity/context.js";
import { findClient, type RegisteredClient } from "./registration.js";

/** An authorization request, in which client, redirect and resource belong together. */
export interface ClientRequest {
  readonly client: RegisteredClient;
  /** The address that the client is answered at, with these fields added. */
  answerAt(fields: Readonly<Record<string, string>>): string;
}

/** The resources that tokens are given for: the broker's MCP endpoint, by its two paths (RFC 8707). */
export function resourcesOf({ addresses }: Pick<IdentityServices, "addresses">): string[] {
  return ["/api/mcp", "/mcp"].map((path) => `${addresses.base()}${path}`);
}

/**
 * Checks what an authorization request names (OAUTH-3). What is wrong is told to the person and never sent on: the address to
 * send it to is a part of what is wrong.
 *
 * @throws bad_request
 */
export function readClientRequest(
  services: Pick<IdentityServices, "addresses" | "alertKey">,
  input: Omit<ParsedInputOf<"preview_client">, "team_id">,
): ClientRequest {
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
  const resources = resourcesOf(services);
  if (!resources.includes(resource)) {
    throw new MerkleError(
      "bad_request",
      `The client asks for a token for ${JSON.stringify(resource)}, but tokens of this broker are valid only for ${resources.join(" and ")}.`,
      { field: "resource", resources },
    );
  }
  return {
    client,
    answerAt(fields) {
      const url = new URL(redirect_uri);
      const all = { ...fields, ...(state !== undefined && { state }), iss: services.addresses.base() };
      for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value);
      return url.href;
    },
  };
}
