import type { HttpBindings } from "@hono/node-server";
import { MerkleError } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import type { Hono } from "hono";
import { toMerkleError } from "../../core/to-merkle-error.js";
import type { HttpContext } from "../../transports/http/admit.js";
import { toJsonResponse } from "../../transports/http/http-error.js";
import type { MountParts } from "../../transports/http/mount.js";
import type { Services } from "../../transports/services.js";
import { toResources } from "./authorization-request.js";
import { redeemCode } from "./redeem-code.js";
import { registerClient } from "./registration.js";

/** Returns the URL of the OAuth metadata for the MCP endpoint at `path` (RFC 9728, section 3.1). */
export function formatMetadataUrl({ addresses }: Pick<Services, "addresses">, path: string): string {
  return `${addresses.getBaseUrl()}/.well-known/oauth-protected-resource${path}`;
}

/**
 * Mounts the OAuth endpoints for hosted MCP clients: RFC 9728, 8414, 7591, and 6749 with PKCE (OAUTH-1). The
 * endpoints are for invite mode. In open mode, clients need no token. The consent page is part of the
 * dashboard, and the member's decision is the operation `approve_client`.
 */
export function mountOAuth(
  app: Hono<{ Bindings: HttpBindings }>,
  { services, bodies }: MountParts<Services>,
): void {
  const { addresses } = services;
  const [main, short] = ["/api/mcp", "/mcp"] as const;

  for (const path of ["", main, short]) {
    app.get(`/.well-known/oauth-protected-resource${path}`, () => {
      const [ofMain, ofShort] = toResources(services);
      return toJsonResponse({
        resource: path === short ? ofShort : ofMain,
        authorization_servers: [addresses.getBaseUrl()],
        bearer_methods_supported: ["header"],
        resource_name: "Merkle",
      });
    });
  }
  app.get("/.well-known/oauth-authorization-server", () =>
    toJsonResponse({
      issuer: addresses.getBaseUrl(),
      authorization_endpoint: `${addresses.getBaseUrl()}/authorize`,
      token_endpoint: `${addresses.getBaseUrl()}/oauth/token`,
      registration_endpoint: `${addresses.getBaseUrl()}/oauth/register`,
      response_types_supported: ["code"],
      response_modes_supported: ["query"],
      grant_types_supported: ["authorization_code"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none"],
      authorization_response_iss_parameter_supported: true,
    }),
  );
  app.post("/oauth/register", (c) =>
    answer(services, c, async () => {
      const { clientId, client } = registerClient(services, await bodies.readJson(c.env.incoming));
      const body = {
        client_id: clientId,
        client_id_issued_at: client.registeredAtS,
        client_name: client.name,
        redirect_uris: client.redirectUris,
        grant_types: ["authorization_code"],
        response_types: ["code"],
        token_endpoint_auth_method: "none",
      };
      return { status: 201, body };
    }),
  );
  app.post("/oauth/token", (c) =>
    answer(services, c, async () => {
      const form = await bodies.readForm(c.env.incoming);
      if (form.get("grant_type") !== "authorization_code") {
        throw oauthError("unsupported_grant_type", "grant_type must be authorization_code.");
      }
      const redeemed = await redeemCode(services, {
        code: readField(form, "code"),
        clientId: readField(form, "client_id"),
        redirectUri: readField(form, "redirect_uri"),
        verifier: readField(form, "code_verifier"),
        resource: readField(form, "resource"),
      });
      if (!redeemed) {
        throw oauthError(
          "invalid_grant",
          "This code is not valid: it is wrong, was already used, is older than a minute, or was issued for another client, redirect, verifier or resource.",
        );
      }
      const { token, expiresAt } = redeemed;
      const expires_in = Math.floor((expiresAt.getTime() - Date.now()) / 1_000);
      return { status: 200, body: { access_token: token, token_type: "Bearer", expires_in } };
    }),
  );
}

/**
 * Sends a response as required by RFC 6749, section 5: not cacheable, and with the error names defined in that
 * section.
 */
async function answer(
  { log, auth }: Pick<Services, "log" | "auth">,
  c: HttpContext,
  serve: () => Promise<{ readonly status: number; readonly body: object }>,
): Promise<Response> {
  const headers = { "content-type": "application/json", "cache-control": "no-store" };
  try {
    if (auth === "open") throw notNeeded();
    const { status, body } = await serve();
    return new Response(JSON.stringify(body), { status, headers });
  } catch (error) {
    const { status, message, details } = toMerkleError(error, log, { path: c.req.path });
    const { oauth = "invalid_request" } = details;
    return new Response(JSON.stringify({ error: oauth, error_description: message }), { status, headers });
  }
}

/** Returns a form field that must occur exactly once. RFC 6749, section 3.2, forbids repeated parameters. */
function readField(form: URLSearchParams, name: string): string {
  const [value, ...more] = form.getAll(name);
  if (value === undefined || value === "" || more.length > 0) {
    throw oauthError("invalid_request", `${name} must be given exactly once.`);
  }
  if (value.length <= fieldCharsMax) return value;
  throw oauthError("invalid_request", `${name} is too long.`);
}

const fieldCharsMax = 2 * limits.urlCharsMax + 4 * limits.clientRedirectsMax * limits.clientRedirectCharsMax;

function oauthError(oauth: string, message: string): MerkleError {
  return new MerkleError("bad_request", message, { oauth });
}

function notNeeded(): MerkleError {
  return oauthError(
    "access_denied",
    "This broker is open to everyone, so clients need no token. Restart it with merkle up --auth invite to admit only members.",
  );
}
