import { hostname } from "node:os";
import { limits } from "@merkle/wire/limits";
import { isObject } from "../core/is-object.js";
import { chooseMember, listMembers, type StoredMember, saveMember } from "../home/members.js";
import type { HttpResponse } from "./http-request.js";
import { findMember, notJoined } from "./introduce.js";
import type { ReachableAddress } from "./reach.js";

/** The headers that authenticate the caller to a broker. */
export interface Authorization {
  buildHeaders(): Promise<AuthorizationHeaders>;
  /**
   * Signs in again after the broker refused a request because it did not recognise the caller. Requests that
   * are refused together share one sign-in. Returns whether to repeat the request.
   *
   * @param refused - the headers of the refused request
   * @throws MerkleError `unauthorized` if this home has no membership at the broker
   */
  renew(refused: AuthorizationHeaders): Promise<boolean>;
}

export type AuthorizationHeaders = Readonly<Record<string, string>>;

/**
 * Creates the headers for requests to a broker.
 *
 * @param get - requests a path from the broker with these headers
 */
export function createAuthorization(
  { base, reach }: ReachableAddress,
  get: (path: string, headers: Readonly<Record<string, string>>) => Promise<HttpResponse>,
  signal: AbortSignal,
): Authorization {
  let token: Promise<string | undefined> | undefined;
  let renewing: Promise<boolean> | undefined;

  async function buildHeaders(): Promise<AuthorizationHeaders> {
    if (!reach) return {};
    token ??= reach.token ? Promise.resolve(reach.token) : findToken();
    const value = await token;
    return {
      ...(reach.mesh !== undefined && { "x-merkle-mesh": reach.mesh }),
      ...(value !== undefined && { authorization: `Bearer ${value}` }),
    };
  }

  async function findToken(): Promise<string | undefined> {
    if (!reach) return undefined;
    const member = chooseMember(await listMembers(reach.home), { broker: { url: base }, mesh: reach.mesh });
    const storedToken = member?.token;
    return storedToken && Date.parse(storedToken.expires_at) > Date.now() ? storedToken.value : undefined;
  }

  async function signInAgain(headers: AuthorizationHeaders): Promise<boolean> {
    if (!reach) return false;
    if ("authorization" in headers && (await get("/api/sign-in", headers)).ok) return false;
    const broker = readBroker((await get("/api/sign-in", {})).json());
    if (broker?.auth !== "invite") return false;
    const member = await findMember(base, reach, broker.brokerId);
    if (!member) throw notJoined(base);
    token = signIn(member, { base, reach }, signal);
    await token;
    return true;
  }

  return {
    buildHeaders,
    async renew(refused) {
      if (!reach || reach.token) return false;
      const headers = await buildHeaders();
      if (headers["authorization"] !== refused["authorization"]) return true;
      renewing ??= signInAgain(headers).finally(() => {
        renewing = undefined;
      });
      return renewing;
    },
  };
}

/** Signs in with the member's key, gets a token from the broker, and stores the token for later commands. */
async function signIn(
  member: StoredMember,
  { base, reach }: Required<Pick<ReachableAddress, "base">> & Pick<ReachableAddress, "reach">,
  signal: AbortSignal,
): Promise<string> {
  const { openLiveClient } = await import("./live-client.js");
  const client = await openLiveClient({ base, source: "default", reach }, signal);
  try {
    const label = `merkle on ${hostname()}`.slice(0, limits.nameCharsMax);
    const { token: value, expires_at } = await client.call("issue_token", { label });
    if (reach) await saveMember(reach.home, { ...member, token: { value, expires_at } });
    return value;
  } finally {
    await client.close();
  }
}

function readBroker(answer: unknown): { auth: unknown; brokerId: string } | null {
  if (!isObject(answer)) return null;
  const { auth, broker_id: brokerId } = answer;
  return typeof brokerId === "string" ? { auth, brokerId } : null;
}
