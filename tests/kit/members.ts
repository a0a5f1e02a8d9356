import { type InputOf, MerkleError, type OperationName, type OutputOf } from "@merkle/wire";
import { connect } from "@merkle/wire/client";
import { answerHello, drawSeed } from "@merkle/wire/identity";
import { deriveSigningKey, proveJoin, type SigningKey } from "@merkle/wire/keys";
import { catalogue } from "@merkle/wire/schemas";
import { WebSocket } from "ws";
import { startTestBroker, type TestBroker } from "./test-broker.js";
import type { Cleanup } from "./test-database.js";
import { brokerTransports, type Entry } from "./transports.js";

export type Membership = OutputOf<"redeem_invite">;

/** A member for a test to act as, with its own WebSocket. */
export interface TestMember extends Membership {
  readonly memberKey: SigningKey;
  call<Name extends OperationName>(name: Name, input: InputOf<Name>): Promise<OutputOf<Name>>;
}

/** Starts a broker that admits only members, and joins as its first admin. */
export async function startInviteBroker(
  cleanup: Cleanup,
  options: Parameters<typeof startTestBroker>[0] = {},
): Promise<{ broker: TestBroker; admin: TestMember }> {
  const broker = await startTestBroker({ auth: "invite", rateLimits: "off", ...options }, cleanup);
  const { firstInvite } = broker.broker;
  if (firstInvite === null) throw new Error("The broker made no invite for its first admin.");
  return { broker, admin: await joinMesh(broker.url, { invite: firstInvite, name: "Ana" }, cleanup) };
}

/** Redeems an invite with the given key or a new key, and connects as the new member. */
export async function joinMesh(
  url: string,
  wanted: { readonly invite: string; readonly name: string; readonly memberKey?: SigningKey },
  cleanup: Cleanup,
): Promise<TestMember> {
  const { memberKey = deriveSigningKey(drawSeed()) } = wanted;
  const membership = await redeem(url, { ...wanted, memberKey });
  return openAsMember(url, { ...membership, memberKey }, cleanup);
}

/** Redeems an invite over REST, without opening a WebSocket. */
export async function redeem(
  url: string,
  wanted: { readonly invite: string; readonly name: string; readonly memberKey: SigningKey },
): Promise<Membership> {
  const rest = await brokerTransports.rest(url);
  const { broker_id: brokerId } = await rest.call("preview_invite", { invite: wanted.invite });
  return rest.call("redeem_invite", proveJoin({ ...wanted, brokerId }));
}

export function openAsMember(
  url: string,
  member: Membership & { readonly memberKey: SigningKey },
  cleanup: Cleanup,
): TestMember {
  const { memberKey } = member;
  const sessionKey = deriveSigningKey(drawSeed());
  const client = connect({
    url,
    WebSocket,
    answerHello: (hello) =>
      answerHello(hello, {
        brokerId: member.broker_id,
        meshId: member.mesh_id,
        memberKey,
        sessionKey,
        label: `${member.name} in a test`,
        session: null,
        url,
      }),
  });
  cleanup(() => client.close());
  return {
    ...member,
    // The operation's schema has checked the output, so the type is correct.
    call: async (name, input) => catalogue[name].output.parse(await client.call(name, input)) as never,
  };
}

/**
 * Signs a browser in as a member. Returns the browser's entry: over HTTP its cookie and page token, over a WebSocket
 * its ticket.
 */
export async function signInBrowser(url: string, member: Pick<TestMember, "call">): Promise<Entry> {
  const { token } = await member.call("issue_token", { kind: "sign_in" });
  return signInWith(url, token);
}

/** Signs in with the secret of a sign-in link or an observer link. */
export async function signInWith(url: string, secret: string): Promise<Entry> {
  const response = await fetch(new URL("/api/sign-in", url), {
    method: "POST",
    headers: { origin: url, "content-type": "application/json" },
    body: JSON.stringify({ secret }),
  });
  const body = Object(await response.json());
  if (!response.ok) throw MerkleError.fromBody(body);
  const [cookie = ""] = (response.headers.get("set-cookie") ?? "").split(";");
  const headers = { origin: url, cookie, "x-merkle-page": String(body.page_token) };
  return {
    headers,
    proof: async () => {
      const ticket = await fetch(new URL("/api/tickets", url), { method: "POST", headers });
      return { kind: "ticket", ...(await ticket.json()) };
    },
  };
}
