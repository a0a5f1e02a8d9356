import { createHash, randomBytes } from "node:crypto";
import { drawSeed } from "@merkle/wire/identity";
import { deriveSigningKey, proveJoin } from "@merkle/wire/keys";
import { type Call, type Cases, on } from "./case.js";

/** The operations that only a broker in members-only mode offers. */
export type MemberOperation =
  | "create_invite"
  | "preview_invite"
  | "list_invites"
  | "revoke_invite"
  | "redeem_invite"
  | "list_members"
  | "revoke_member"
  | "issue_token"
  | "list_tokens"
  | "revoke_token"
  | "create_observer_link"
  | "preview_client"
  | "approve_client";

/**
 * @param stranger - makes calls as an unauthenticated client
 * @param admin - makes calls as the mesh's first member
 */
export async function openMemberCases({
  admin,
  stranger,
  url,
}: {
  admin: Call;
  stranger: Call;
  url: string;
}): Promise<Readonly<Record<MemberOperation, Cases>>> {
  const session_id = "year-1";
  const invite = () => admin("create_invite", {});
  const redeem = async (link: string, index: number) => {
    const { broker_id: brokerId } = await stranger("preview_invite", { invite: link });
    const memberKey = deriveSigningKey(drawSeed());
    return proveJoin({ invite: link, name: `Member ${index}`, memberKey, brokerId });
  };
  const { link } = await invite();
  const request = await registerClient(url);
  return {
    create_invite: { call: invite },
    preview_invite: { call: () => stranger("preview_invite", { invite: link }) },
    list_invites: { call: () => admin("list_invites", {}) },
    revoke_invite: on(invite, ({ invite_id }) => admin("revoke_invite", { invite_id })),
    redeem_invite: on(
      async (index) => redeem((await invite()).link, index),
      (proof) => stranger("redeem_invite", proof),
    ),
    list_members: { call: () => admin("list_members", {}) },
    revoke_member: on(
      async (index) => stranger("redeem_invite", await redeem((await invite()).link, index)),
      ({ member_id }) => admin("revoke_member", { member_id }),
    ),
    issue_token: { call: () => admin("issue_token", {}) },
    list_tokens: { call: () => admin("list_tokens", {}) },
    revoke_token: on(
      () => admin("issue_token", {}),
      ({ token_id }) => admin("revoke_token", { token_id }),
    ),
    create_observer_link: { call: () => admin("create_observer_link", { session_id }) },
    preview_client: { call: () => admin("preview_client", request) },
    approve_client: {
      call: (index) =>
        admin("approve_client", { session_id: "year-20", team_name: `Helper ${index}`, ...request }),
    },
  };
}

/**
 * Registers an OAuth client (RFC 7591), as clients do before a member is asked for consent. Returns the client's
 * authorisation request, which refers to the broker by `localhost`.
 */
async function registerClient(url: string) {
  const redirect_uri = "https://client.example.com/callback";
  const response = await fetch(`${url}/oauth/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      ...{ client_name: "Helper", redirect_uris: [redirect_uri], token_endpoint_auth_method: "none" },
      grant_types: ["authorization_code", "refresh_token"],
    }),
  });
  const challenge = createHash("sha256").update(randomBytes(32)).digest("base64url");
  return {
    client_id: String(Object(await response.json()).client_id),
    ...{
      redirect_uri,
      response_type: "code" as const,
      resource: `${url.replace("127.0.0.1", "localhost")}/api/mcp`,
    },
    ...{ code_challenge: challenge, code_challenge_method: "S256" as const },
  };
}
