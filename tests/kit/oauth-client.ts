import * as oauth from "oauth4webapi";

/** A client from an independent OAuth library that is about to send the member's browser to the consent page. */
export type OAuthClient = Awaited<ReturnType<typeof startOAuthClient>>;

const insecure = { [oauth.allowInsecureRequests]: true };

/** Discovers the authorisation server of a resource, and registers a client there. */
export async function startOAuthClient(resource: string, redirect: string) {
  const url = new URL(resource);
  const found = await oauth.resourceDiscoveryRequest(url, insecure);
  const described = await oauth.processResourceDiscoveryResponse(url, found);
  const issuer = new URL(described.authorization_servers?.[0] ?? "");
  const discovered = await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...insecure });
  const server = await oauth.processDiscoveryResponse(issuer, discovered);
  const metadata = {
    client_name: "Hosted Helper",
    redirect_uris: [redirect],
    token_endpoint_auth_method: "none",
    grant_types: ["authorization_code", "refresh_token"],
  };
  const client = await oauth.processDynamicClientRegistrationResponse(
    await oauth.dynamicClientRegistrationRequest(server, metadata, insecure),
  );
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const request = {
    client_id: client.client_id,
    redirect_uri: redirect,
    response_type: "code" as const,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256" as const,
    resource,
    state,
  };
  const page = `${server.authorization_endpoint}?${new URLSearchParams(request)}`;
  return { server, client, verifier, request, page };
}

/**
 * Redeems the code in an authorisation response. A value in `differing` replaces the client's own value, so that the
 * request seems to come from a different client.
 */
export async function redeemCode(
  { server, client, verifier, request }: OAuthClient,
  answer: string,
  differing: { readonly redirect?: string; readonly verifier?: string; readonly resource?: string } = {},
): Promise<oauth.TokenEndpointResponse> {
  const answered = oauth.validateAuthResponse(server, client, new URL(answer), request.state);
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    answered,
    differing.redirect ?? request.redirect_uri,
    differing.verifier ?? verifier,
    { additionalParameters: { resource: differing.resource ?? request.resource }, ...insecure },
  );
  return oauth.processAuthorizationCodeResponse(server, client, response);
}
