import { hostname } from "node:os";
import { limits } from "@merkle/wire/limits";
import { isObject } from "../core/is-object.js";
import { chooseMember, listMembers, type StoredMember, saveMember } from "../home/members.js";
import type { HttpResponse } from "./http-request.js";
import { findMember, notJoined } from "./introduce.js";
import type { ReachableAddress } from "./reach.js";

/** The headers that authenticate the caller to a broker. */
export interface Authorization {
  buildHeaders(): Promise<Readonly<Record<string, string>>>;
  /**
   * Signs in again after the broker refused a request because it did not recognise the caller. Returns
   * whether to repeat the request.
   *
   * @throws MerkleError `unauthorized` if this home has no membership at the broker
   */
  renew(): Promise<boolean>;
}

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

  async function buildHeaders(): Promise<Record<string, string>> {
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

  return {
    buildHeaders,
    async renew() {
      if (!reach || reach.token) return false;
      const headers = await buildHeaders();
      if ("authorization" in headers && (await get("/api/sign-in", headers)).ok) return false;
      const broker = readBroker((await get("/api/sign-in", {})).json());
      if (broker?.auth !== "invite") return false;
      const member = await findMember(base, reach, broker.brokerId);
      if (!member) throw notJoined(base);
      token = signIn(member, { base, reach }, signal);
      await token;
      return true;
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
