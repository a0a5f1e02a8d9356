import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { MerkleError } from "@merkle/wire";
import { answerHello, drawSeed, encodeForSigning } from "@merkle/wire/identity";
import { deriveSigningKey } from "@merkle/wire/keys";
import { limits } from "@merkle/wire/limits";
import { isValidSignature, verifySignatureHere } from "@merkle/wire/record";
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { createCleanup } from "../kit/cleanup.js";
import { startEvilBroker } from "../kit/evil-broker.js";
import { joinMesh, openAsMember, startInviteBroker, type TestMember } from "../kit/members.js";
import type { TestBroker } from "../kit/test-broker.js";
import { connectTestDatabase } from "../kit/test-database.js";
import { brokerTransports, type TransportClient } from "../kit/transports.js";

let broker: TestBroker;
let admin: TestMember;
let sql: ReturnType<typeof connectTestDatabase>;

const cleanup = createCleanup();
beforeAll(async () => {
  ({ broker, admin } = await startInviteBroker(cleanup));
  sql = connectTestDatabase(broker.databaseUrl, cleanup);
});

let member: TestMember;
let token = "";
let session_id = "";

beforeEach(async () => {
  const { link } = await admin.call("create_invite", {});
  member = await joinMesh(broker.url, { invite: link, name: "Birch" }, onTestFinished);
  ({ token } = await member.call("issue_token", {}));
  ({ session_id } = await member.call("create_session", {
    title: "Entered",
    creator_team_name: "Birch's Team",
  }));
});

async function refusalOf(answer: Promise<unknown>): Promise<MerkleError> {
  const error = await answer.then(
    (output) => expect.fail(`was answered ${JSON.stringify(output)}`),
    (error: unknown) => error,
  );
  if (error instanceof MerkleError) return error;
  throw error;
}

/** Opens a socket and returns it with the broker's hello. */
async function greet(): Promise<{ socket: WebSocket; hello: Record<string, string> }> {
  const socket = new WebSocket(`${broker.url.replace(/^http/, "ws")}/ws`);
  onTestFinished(() => socket.terminate());
  const [data] = await once(socket, "message");
  return { socket, hello: JSON.parse(String(data)) };
}

/** Sends a request over a socket. Returns the reply's output, or throws its error. */
async function ask(socket: WebSocket, frame: object): Promise<unknown> {
  const id = randomUUID();
  const replied = new Promise<Record<string, never>>((resolve, reject) => {
    socket.on("message", (data) => {
      const reply = JSON.parse(String(data));
      if (reply.id === id) resolve(reply);
    });
    socket.once("close", (code) => reject(new Error(`closed with ${code}`)));
  });
  socket.send(JSON.stringify({ ...frame, id }));
  const reply = await replied;
  if (reply["error"]) throw MerkleError.fromBody(reply);
  return reply["output"];
}

/** Sends a request as a dashboard page would, with that page's origin. */
const fromPage = (
  path: string,
  init: { method?: string; cookie?: string; page?: string; body?: unknown; origin?: string },
) => {
  const { method = "GET", cookie, page, body, origin = broker.url } = init;
  return fetch(new URL(path, broker.url), {
    method,
    headers: {
      origin,
      ...(cookie !== undefined && { cookie }),
      ...(page !== undefined && { "x-merkle-page": page }),
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
};

async function signIn(
  secret: string,
): Promise<{ cookie: string; page: string; setCookie: string; body: unknown }> {
  const response = await fromPage("/api/sign-in", { method: "POST", body: { secret } });
  const setCookie = response.headers.get("set-cookie") ?? "";
  const body = Object(await response.json());
  return { cookie: setCookie.split(";")[0] ?? "", page: body.page_token, setCookie, body };
}

describe("A broker in invite mode", () => {
  it("[ENTER-2] tells a stranger nothing, over any transport, not even whether a session exists", async () => {
    for (const open of Object.values(brokerTransports)) {
      for (const ref of [session_id, "entered", "nowhere"]) {
        // An unauthenticated client may send only one frame per connection.
        const transport = await open(broker.url);
        onTestFinished(transport.close);
        expect(
          await refusalOf(transport.call("get_session", { session_id: ref })),
          transport.name,
        ).toMatchObject({
          code: "unauthorized",
          message: expect.stringContaining("admits only members"),
        });
      }
    }
    for (const path of ["/metrics", "/mcp", "/api/mcp"]) {
      const response = await fetch(new URL(path, broker.url));
      expect(response.status, path).toBe(401);
    }
    for (const path of ["/health", "/agents.md", "/openapi.json"])
      expect((await fetch(new URL(path, broker.url))).status, path).toBe(200);
  });

  it("[ENTER-2] a socket without a hello may subscribe to nothing and watch nothing", async () => {
    const frames = [
      { type: "subscribe", kind: "follow", session_id },
      { type: "subscribe", kind: "follow", session_id: "nowhere" },
      { type: "unsubscribe", kind: "follow", session_id },
      { type: "watch_mesh" },
    ];
    for (const frame of frames) {
      const { socket, hello } = await greet();
      expect(hello).toMatchObject({ type: "hello", auth: "invite", broker_id: admin.broker_id });
      expect((await refusalOf(ask(socket, frame))).code, frame.type).toBe("unauthorized");
    }
  });

  it("[ENTER-1] lets a member in by a token over every transport", async () => {
    for (const open of Object.values(brokerTransports)) {
      const transport = await open(broker.url, { token });
      onTestFinished(transport.close);
      expect(await transport.call("get_session", { session_id })).toMatchObject({ title: "Entered" });
    }
  });

  it("[OPS-3] /metrics is for admins of the main mesh: a member of one mesh learns nothing of others", async () => {
    const { mesh_id } = await admin.call("create_mesh", { name: randomUUID() });
    const elsewhere = openAsMember(broker.url, { ...admin, mesh_id }, onTestFinished);
    const statuses = [admin, elsewhere, member].map(async (each) => {
      const { token: bearer } = await each.call("issue_token", {});
      const headers = { authorization: `Bearer ${bearer}` };
      return (await fetch(new URL("/metrics", broker.url), { headers })).status;
    });
    expect(await Promise.all(statuses)).toEqual([200, 403, 403]);
  });

  it("[ENTER-1] takes no token of another kind, and none that is nearly right", async () => {
    const { token: signInSecret } = await member.call("issue_token", { kind: "sign_in" });
    const { cookie, page } = await signIn(signInSecret);
    const [, browserToken = ""] = cookie.split("=");
    const ticket = await fromPage("/api/tickets", { method: "POST", cookie, page });
    const { ticket: ticketToken } = Object(await ticket.json());
    const wrong = [
      browserToken,
      ticketToken,
      `${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`,
      token.toLowerCase(),
      token.slice(4),
      "x",
    ];
    for (const each of wrong) {
      const transport = await brokerTransports.rest(broker.url, { token: each });
      expect((await refusalOf(transport.call("list_sessions", {}))).code, each.slice(0, 4)).toBe(
        "unauthorized",
      );
      await expect(brokerTransports.websocket(broker.url, { token: each })).rejects.toMatchObject({
        code: "unauthorized",
      });
    }
  });

  it("[ENTER-2] a hello comes once, and before anything is asked", async () => {
    const proof = { kind: "bearer", token };
    const { socket } = await greet();
    expect(await ask(socket, { type: "hello", proof })).toMatchObject({
      mesh: "main",
      as: { kind: "member", name: "Birch", role: "member" },
    });
    expect((await refusalOf(ask(socket, { type: "hello", proof }))).code).toBe("bad_request");
    const { socket: asked } = await greet();
    const closed = once(asked, "close");
    await refusalOf(ask(asked, { type: "request", operation: "list_sessions", input: {} }));
    asked.send(JSON.stringify({ type: "hello", id: 1, proof }));
    expect((await closed)[0]).toBe(4401);
  });

  it("[HELLO-2] a signed hello lets its member in on its own connection, and on no other, also after a restart", async () => {
    const { socket, hello } = await greet();
    const proof = answerHello(
      { auth: "invite", broker_id: hello["broker_id"] ?? "", nonce: hello["nonce"] ?? "" },
      {
        brokerId: member.broker_id,
        meshId: member.mesh_id,
        memberKey: member.memberKey,
        sessionKey: deriveSigningKey(drawSeed()),
        label: "a test",
        session: null,
        url: broker.url,
      },
    );
    const { socket: other } = await greet();
    expect((await refusalOf(ask(other, { type: "hello", proof }))).code).toBe("unauthorized");
    expect(await ask(socket, { type: "hello", proof })).toMatchObject({ as: { name: "Birch" } });
    await broker.restart();
    const { socket: later } = await greet();
    expect((await refusalOf(ask(later, { type: "hello", proof }))).code).toBe("unauthorized");
  });

  it("[HELLO-5] a signed hello that is passed on from another port of the same machine lets nobody in", async () => {
    const relay = await startEvilBroker(broker.url);
    const refused = openAsMember(relay.url, member, onTestFinished).call("list_members", {});
    expect(await refusalOf(refused)).toMatchObject({ code: "unauthorized", details: { reason: "origin" } });
    // The relay received a hello that would be valid on a direct connection. The hello fails only because it was
    // relayed.
    expect(relay.heard).toHaveLength(1);
    expect(await openAsMember(broker.url, member, onTestFinished).call("list_members", {})).toBeTruthy();
  });

  it("[HELLO-4] an older client's hello, which signs no scheme, is refused with a sentence that says to update", async () => {
    const { socket, hello } = await greet();
    const proof = answerHello(hello as never, {
      brokerId: member.broker_id,
      meshId: member.mesh_id,
      memberKey: member.memberKey,
      sessionKey: deriveSigningKey(drawSeed()),
      label: "old",
      session: null,
      url: broker.url,
    });
    const { origin: _, ...statement } = proof?.statement ?? expect.fail("nothing was signed");
    const old = { ...proof, statement: { ...statement, host: new URL(broker.url).host } };
    const refusal = await refusalOf(ask(socket, { type: "hello", proof: old }));
    expect(refusal).toMatchObject({
      message: expect.stringContaining("upgrade merkle"),
      details: { reason: "client" },
    });
  });

  it("[HELLO-6] proves by its audit key that it is at the address that was dialled, and at no other", async () => {
    const challenge = "A".repeat(43);
    const prove = async (origin: string, asked = challenge) => {
      const answer = await fetch(
        `${broker.url}/api/sign-in?${new URLSearchParams({ challenge: asked, origin })}`,
      );
      return { status: answer.status, body: await answer.json() };
    };
    const { body } = await prove(broker.url);
    const { keys, signature, key_id } = body.proof;
    const signed = encodeForSigning("broker", { broker_id: member.broker_id, challenge, origin: broker.url });
    expect(key_id).toBe(keys.at(-1).key_id);
    expect(
      await isValidSignature(
        { publicKey: keys.at(-1).public_key, bytes: signed, signature },
        verifySignatureHere,
      ),
    ).toBe(true);
    expect(await prove(`${broker.url}1`)).toMatchObject({ status: 403 });
    expect(await prove("http://localhost:1")).toMatchObject({ status: 403 });
    expect(await prove(broker.url, "short")).toMatchObject({ status: 400 });
    const plain = await fetch(`${broker.url}/api/sign-in`);
    expect(await plain.json()).not.toHaveProperty("proof");
  });

  it("[ENTER-5] a team's credential, and a person's, are worth nothing in another member's hands", async () => {
    const { link } = await admin.call("create_invite", {});
    const other = await joinMesh(broker.url, { invite: link, name: "Cedar" }, onTestFinished);
    const { team_id } = await member.call("join_session", { session_id, team_name: "Own" });
    const { person_id } = await member.call("create_person", { name: "Birch" });
    const said = { session_id, content: { text: "as you" } };
    for (const credential of [team_id, person_id]) {
      expect((await member.call("post_message", { ...said, team_id: credential })).cursor).toBeGreaterThan(0);
      expect((await refusalOf(other.call("post_message", { ...said, team_id: credential }))).code).toBe(
        "unauthorized",
      );
    }
    expect(await other.call("get_session", { session_id })).toMatchObject({ title: "Entered" });
  });

  it("[AUTH-12] [ENTER-5] another member's leaked credential takes over no inbox, reads no mail and watches as nobody", async () => {
    const { link } = await admin.call("create_invite", {});
    const other = await joinMesh(broker.url, { invite: link, name: "Cedar" }, onTestFinished);
    const { token: stolenBy } = await other.call("issue_token", {});
    const { peer_id: peer } = await member.call("join_session", {
      session_id,
      team_name: "Peered",
      peer_name: "aspen",
    });
    const { person_id: person } = await member.call("create_person", { name: "Birch" });
    const come = async (bearer: string) => {
      const { socket } = await greet();
      await ask(socket, { type: "hello", proof: { kind: "bearer", token: bearer } });
      return socket;
    };
    const inbox = { type: "subscribe", kind: "inbox", session_id, team_id: peer };
    const owners = await come(token);
    await ask(owners, inbox);
    const thief = await come(stolenBy);
    for (const frame of [
      inbox,
      { ...inbox, kind: "follow" },
      { ...inbox, team_id: person },
      { type: "watch_mesh", team_id: person },
      { type: "watch_mesh", team_id: peer },
    ]) {
      expect((await refusalOf(ask(thief, frame))).code, JSON.stringify(frame)).toBe("unauthorized");
    }
    // The owner's connection is still subscribed to its inbox and receives messages.
    const brought = new Promise((resolve) => {
      owners.on("message", (data) => {
        const frame = JSON.parse(String(data));
        if (frame.type === "message") resolve(frame);
      });
    });
    await member.call("post_message", {
      session_id,
      team_id: person,
      to: ["aspen"],
      content: { text: "for you" },
    });
    expect(await brought).toMatchObject({ kind: "inbox", session_id });
    expect(await ask(owners, inbox)).toMatchObject({ session_id });
  });

  it("[AUTH-12] an observer's link learns of no other session by the frames that are no requests", async () => {
    const { token: looking } = await member.call("create_observer_link", { session_id });
    const other = await member.call("create_session", { title: "Other", creator_team_name: "Birch" });
    const { socket } = await greet();
    await ask(socket, { type: "hello", proof: { kind: "bearer", token: looking } });
    for (const type of ["subscribe", "unsubscribe"])
      for (const ref of [other.session_id, "nowhere"])
        expect((await refusalOf(ask(socket, { type, kind: "follow", session_id: ref }))).code, type).toBe(
          "not_found",
        );
    for (const type of ["watch_mesh", "unwatch_mesh"])
      expect((await refusalOf(ask(socket, { type }))).code, type).toBe("forbidden");
    expect(await ask(socket, { type: "subscribe", kind: "follow", session_id })).toMatchObject({
      session_id,
    });
    const { socket: stranger } = await greet();
    expect((await refusalOf(ask(stranger, { type: "unwatch_mesh" }))).code).toBe("unauthorized");
  });

  it("[MCP-9] an MCP session's id is worth nothing in another member's hands, and its own goes on", async () => {
    const { link } = await admin.call("create_invite", {});
    const other = await joinMesh(broker.url, { invite: link, name: "Cedar" }, onTestFinished);
    const { token: stolenBy } = await other.call("issue_token", {});
    const send = (bearer: string, body: object, more: Record<string, string> = {}, method = "POST") =>
      fetch(new URL("/mcp", broker.url), {
        method,
        headers: { authorization: `Bearer ${bearer}`, "content-type": "application/json", ...more },
        ...(method === "POST" && { body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...body }) }),
      });
    const clientInfo = { name: "test", version: "1" };
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
    const begun = await send(token, { method: "initialize", params });
    const id = { "mcp-session-id": begun.headers.get("mcp-session-id") ?? "" };
    const list = { method: "tools/list" };
    expect((await send(token, list, id)).status).toBe(200);
    expect((await send(stolenBy, list, id)).status).toBe(404);
    for (const method of ["GET", "DELETE"])
      expect((await send(stolenBy, {}, id, method)).status, method).toBe(404);
    const { token: second } = await member.call("issue_token", {});
    expect((await send(second, list, id)).status).toBe(200);
  });

  it("[ENTER-8] admins alone change the broker's settings and revoke; a session's settings are everybody's", async () => {
    const settings = { settings: { idle_polls: 11 } };
    for (const call of [
      () => member.call("update_settings", settings),
      () => member.call("create_mesh", { name: "mine" }),
      () => member.call("revoke_member", { member_id: admin.member_id }),
    ]) {
      expect((await refusalOf(call())).code).toBe("forbidden");
    }
    await admin.call("update_settings", settings);
    await member.call("update_settings", { session_id, session_settings: { message_budget: 5 } });
  });
});

describe("A browser", () => {
  let cookie = "";
  let page = "";
  beforeEach(async () => {
    const { token: secret } = await member.call("issue_token", { kind: "sign_in" });
    const signed = await signIn(secret);
    expect(signed.body).toMatchObject({ auth: "invite", you: { kind: "member", name: "Birch" } });
    expect(signed.setCookie).toMatch(
      /^merkle_session=mkb_\S+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+$/,
    );
    ({ cookie, page } = signed);
    expect((await fromPage("/api/sign-in", { method: "POST", body: { secret } })).status).toBe(401);
  });

  it("[ENTER-3] [LIMIT-1] is signed in for browserSeconds by a link that is good once", async () => {
    const [row] = await sql`
      SELECT extract(epoch FROM expires_at - created_at)::int AS s FROM tokens WHERE kind = 'browser'
      ORDER BY created_at DESC LIMIT 1`;
    expect(row?.["s"]).toBe(limits.browserSeconds);
    const me = await fromPage("/api/sign-in", { cookie, page });
    expect(await me.json()).toMatchObject({ you: { name: "Birch", role: "member" } });
    expect((await fromPage("/api/sessions", { cookie, page })).status).toBe(200);
  });

  it("[ENTER-4] its cookie changes nothing for a page of another address, or for no page", async () => {
    const body = { title: "By cookie", creator_team_name: "Birch's Team" };
    expect((await fromPage("/api/sessions", { method: "POST", cookie, page, body })).status).toBe(200);
    const other = new URL(broker.url);
    other.port = "1";
    for (const origin of [other.origin, "null", "https://localhost"]) {
      const response = await fromPage("/api/sessions", { method: "POST", cookie, page, body, origin });
      expect(response.status, origin).toBe(403);
    }
    const bare = await fetch(new URL("/api/sessions", broker.url), {
      method: "POST",
      headers: { cookie, "x-merkle-page": page, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    expect(bare.status).toBe(403);
  });

  it("[TOKEN-8] [ENTER-4] its cookie alone is nobody: a program at another port that gets it reads nothing, and makes no token", async () => {
    const forged = { "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors", origin: broker.url };
    const send = (path: string, body?: object, more: Record<string, string> = {}) =>
      fetch(new URL(path, broker.url), {
        headers: { ...forged, cookie, ...more, ...(body && { "content-type": "application/json" }) },
        ...(body && { method: "POST", body: JSON.stringify(body) }),
      });
    const { page: others } = await signIn((await admin.call("issue_token", { kind: "sign_in" })).token);
    for (const more of [{}, { "x-merkle-page": "A".repeat(43) }, { "x-merkle-page": others }]) {
      for (const path of ["/api/tokens", "/api/tickets", "/api/sessions"])
        expect((await send(path, { title: "Forged", creator_team_name: "Mallory" }, more)).status, path).toBe(
          401,
        );
      for (const path of ["/api/sessions", `/api/sessions/${session_id}/export`, "/metrics"])
        expect((await send(path, undefined, more)).status, path).toBe(401);
      const asked = await (await send("/api/sign-in", undefined, more)).json();
      expect(asked).toMatchObject({ you: null });
      expect(Object.keys(asked)).not.toContain("page_token");
    }
    expect((await send("/api/tokens", {}, { "x-merkle-page": page })).status).toBe(200);
  });

  it("[TOKEN-4] what was made in it ends with it: tokens, links that sign in, their browsers and observer links", async () => {
    const inBrowser = async (path: string, body: object) =>
      Object(await (await fromPage(path, { method: "POST", cookie, page, body })).json());
    const made = await inBrowser("/api/tokens", {});
    expect(Date.parse(made.expires_at) - Date.now()).toBeLessThanOrEqual(limits.browserSeconds * 1_000);
    const used = await signIn((await inBrowser("/api/tokens", { kind: "sign_in" })).token);
    const usedBrowser = { cookie: used.cookie, page: used.page };
    const unused = (await inBrowser("/api/tokens", { kind: "sign_in" })).token;
    const looking = (await inBrowser(`/api/sessions/${session_id}/observer-links`, {})).token;
    const reads = async (bearer: string) => {
      const rest = await brokerTransports.rest(broker.url, { token: bearer });
      return rest.call("get_session", { session_id }).then(
        () => "reads",
        (error: MerkleError) => error.code,
      );
    };
    expect(await Promise.all([made.token, looking].map(reads))).toEqual(["reads", "reads"]);
    expect((await fromPage("/api/sessions", usedBrowser)).status).toBe(200);
    await fromPage("/api/sign-out", { method: "POST", cookie, page });
    expect(await Promise.all([made.token, looking].map(reads))).toEqual(Array(2).fill("unauthorized"));
    expect((await fromPage("/api/sessions", usedBrowser)).status).toBe(401);
    expect((await fromPage("/api/sign-in", { method: "POST", body: { secret: unused } })).status).toBe(401);
    // The token that was created with the member's own key stays valid.
    expect(await reads(token)).toBe("reads");
  });

  it("[ENTER-3] [LIMIT-1] gets tickets, each good once and for ticketSeconds", async () => {
    const ticketFor = async () => {
      const response = await fromPage("/api/tickets", { method: "POST", cookie, page });
      return Object(await response.json()).ticket as string;
    };
    const enter = async (ticket: string) => {
      const { socket } = await greet();
      return ask(socket, { type: "hello", proof: { kind: "ticket", ticket } });
    };
    const ticket = await ticketFor();
    expect(await enter(ticket)).toMatchObject({ as: { kind: "member", name: "Birch" } });
    expect((await refusalOf(enter(ticket))).code).toBe("unauthorized");
    const late = await ticketFor();
    await sql`UPDATE tokens SET expires_at = expires_at - make_interval(secs => ${limits.ticketSeconds})
              WHERE kind = 'ticket' AND revoked_at IS NULL`;
    expect((await refusalOf(enter(late))).code).toBe("unauthorized");
  });

  it("[ENTER-3] signs out: its cookie is worth nothing, and its connections end", async () => {
    const response = await fromPage("/api/tickets", { method: "POST", cookie, page });
    const { ticket } = Object(await response.json());
    const { socket } = await greet();
    await ask(socket, { type: "hello", proof: { kind: "ticket", ticket } });
    const closed = once(socket, "close");
    const out = await fromPage("/api/sign-out", { method: "POST", cookie, page });
    expect(out.headers.get("set-cookie")).toContain("Max-Age=0");
    expect((await closed)[0]).toBe(4401);
    expect((await fromPage("/api/sessions", { cookie, page })).status).toBe(401);
  });
});

describe("What ends", () => {
  async function openFollowing(entry: { token: string }): Promise<WebSocket> {
    const { socket } = await greet();
    await ask(socket, { type: "hello", proof: { kind: "bearer", token: entry.token } });
    await ask(socket, { type: "subscribe", kind: "follow", session_id });
    return socket;
  }

  it("[ENTER-6] a revoked member's connections, waits and streams end at once, and its tokens with it", async () => {
    const { team_id } = await member.call("join_session", { session_id, team_name: "Waiting" });
    const closed = once(await openFollowing({ token }), "close");
    const rest = await brokerTransports.rest(broker.url, { token });
    const waiting = refusalOf(rest.call("wait_for_messages", { session_id, team_id, timeout: 30 }));
    await expect.poll(async () => (await admin.call("get_health", {})).parked_waits).toBeGreaterThan(0);
    await admin.call("revoke_member", { member_id: member.member_id });
    expect((await closed)[0]).toBe(4401);
    expect((await waiting).code).toBe("unauthorized");
    expect((await refusalOf(rest.call("list_sessions", {}))).code).toBe("unauthorized");
  });

  it("[ENTER-6] a revoked token's connections end, and the member's others go on", async () => {
    const { token: second, token_id } = await member.call("issue_token", {});
    const ended = once(await openFollowing({ token: second }), "close");
    const goesOn = await openFollowing({ token });
    await member.call("revoke_token", { token_id });
    expect((await ended)[0]).toBe(4401);
    expect(await ask(goesOn, { type: "ping" })).toEqual({});
  });

  it("[ENTER-6] an expired token's connections end by themselves", async () => {
    const { token: short } = await member.call("issue_token", { expires_in_s: 2 });
    const closed = once(await openFollowing({ token: short }), "close");
    expect((await closed)[0]).toBe(4401);
  });
});

describe("An observer", () => {
  let observer: TransportClient;
  let link = "";
  beforeEach(async () => {
    const made = await member.call("create_observer_link", { session_id });
    ({ link } = made);
    observer = await brokerTransports.rest(broker.url, { token: made.token });
  });

  it("[ENTER-7] reads and follows one session, and learns of no other", async () => {
    expect(await observer.call("get_session", { session_id })).toMatchObject({ title: "Entered" });
    expect((await observer.call("list_participants", { session_id })).participants).toHaveLength(1);
    const other = await member.call("create_session", { title: "Other", creator_team_name: "Birch" });
    for (const ref of [other.session_id, "nowhere"])
      expect((await refusalOf(observer.call("get_session", { session_id: ref }))).code).toBe("not_found");
    for (const call of [
      () => observer.call("list_sessions", {}),
      () => observer.call("list_members", {}),
      () => observer.call("join_session", { session_id, team_name: "Spy" }),
      () => observer.call("create_person", { name: "Spy" }),
      () => observer.call("create_session", { title: "Spy" }),
    ]) {
      expect((await refusalOf(call())).code).toBe("forbidden");
    }
    const { team_id } = await member.call("join_session", { session_id, team_name: "Own" });
    const posting = observer.call("post_message", { session_id, team_id, content: { text: "spy" } });
    expect((await refusalOf(posting)).code).toMatch(/unauthorized|forbidden/);
  });

  it("[ENTER-3] signs a browser in by the link, which shows that session alone", async () => {
    const { cookie, page, body } = await signIn(link.split("#observe=")[1] ?? "");
    expect(body).toMatchObject({ you: { kind: "observer", session_id } });
    expect((await fromPage(`/api/sessions/${session_id}`, { cookie, page })).status).toBe(200);
    expect((await fromPage("/api/sessions", { cookie, page })).status).toBe(403);
  });
});
