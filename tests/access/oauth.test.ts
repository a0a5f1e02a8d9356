import { createHash, randomBytes } from "node:crypto";
import type { InputOf, OutputOf } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { operations } from "@merkle/wire/schemas";
import * as oauth from "oauth4webapi";
import { beforeAll, describe, expect, it } from "vitest";
import { buildValidInputs } from "../hostile/subject.js";
import { createCleanup } from "../kit/cleanup.js";
import { joinMesh, signInBrowser, startInviteBroker, type TestMember } from "../kit/members.js";
import { type OAuthClient, redeemCode, startOAuthClient } from "../kit/oauth-client.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { connectTestDatabase } from "../kit/test-database.js";
import { brokerTransports } from "../kit/transports.js";

let broker: TestBroker;
let admin: TestMember;
let birch: TestMember;
let session: OutputOf<"create_session">;
let base: string;
const cleanup = createCleanup();
beforeAll(async () => {
  ({ broker, admin } = await startInviteBroker(cleanup));
  base = broker.url.replace("127.0.0.1", "localhost");
  birch = await newMember("Birch");
  session = await admin.call("create_session", { title: "Hosted", creator_team_name: "Ana's" });
});

const redirect = "https://client.example.com/callback";

async function newMember(name: string): Promise<TestMember> {
  const { link } = await admin.call("create_invite", {});
  return joinMesh(broker.url, { invite: link, name }, cleanup);
}

const startClient = () => startOAuthClient(`${base}/api/mcp`, redirect);

const approve = (
  by: TestMember,
  { request }: Pick<OAuthClient, "request">,
  more: Partial<InputOf<"approve_client">> = {},
) => by.call("approve_client", { session_id: session.session_id, team_name: "Helper", ...request, ...more });

/** Signs a member in. Returns what the browser sends from then on: its cookie and the token that its pages store. */
async function signIn(member: TestMember): Promise<{ cookie: string; "x-merkle-page": string }> {
  const { link } = await member.call("issue_token", { kind: "sign_in" });
  const response = await fetch(`${base}/api/sign-in`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: base },
    body: JSON.stringify({ secret: link?.split("#")[1] }),
  });
  const cookie = response.headers.get("set-cookie")?.split(";")[0] ?? "";
  return { cookie, "x-merkle-page": Object(await response.json()).page_token };
}

/** Registers a client and approves it as Birch or as another member. Returns its token. */
async function approveClient(by = birch, team_name = "Helper") {
  const client = await startClient();
  const approved = await approve(by, client, { team_name });
  const { access_token: token, expires_in } = await redeemCode(client, approved.redirect_to);
  return { client, token, expires_in, ...approved };
}

async function callTool(
  token: string,
  name: string,
  args: object,
): Promise<{ status: number; isError?: boolean; output?: Record<string, unknown> }> {
  const response = await fetch(`${base}/api/mcp`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
  });
  if (!response.ok) return { status: response.status };
  const { result } = Object(await response.json());
  return { status: 200, isError: result.isError ?? false, output: JSON.parse(result.content[0].text) };
}

const refusal = (error: string) => expect.objectContaining({ error });

describe("OAuth for MCP", () => {
  it("[OAUTH-1] a client without a token is told where to ask for one, by both paths of MCP", async () => {
    for (const path of ["/api/mcp", "/mcp"]) {
      const response = await fetch(`${base}${path}`, { method: "POST", body: "{}" });
      expect(response.status).toBe(401);
      const url = /^Bearer resource_metadata="(.*)"$/.exec(
        response.headers.get("www-authenticate") ?? "",
      )?.[1];
      expect(await (await fetch(url ?? "")).json()).toMatchObject({
        resource: `${base}${path}`,
        authorization_servers: [base],
      });
    }
  });

  it("[OAUTH-1] where everybody is let in, no client is sent to be let in, nor given anything", async () => {
    const open = await startTestBroker();
    const response = await fetch(`${open.url}/oauth/register`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ redirect_uris: [redirect] }),
    });
    expect([response.status, await response.json()]).toEqual([400, refusal("access_denied")]);
  });

  it("[OAUTH-6] a client of another library posts and reads as the team that a member chose", async () => {
    const { token, token_id, team_name, expires_in } = await approveClient();
    expect(expires_in).toBeGreaterThan(limits.clientTokenSeconds - 60);
    const { session_id, slug } = session;
    const joined = await callTool(token, "join_session", { session_id: slug, team_name: "Whoever" });
    expect(joined.output).toMatchObject({ team_name, resumed: true, peer_id: null });
    expect(joined.output?.["team_id"]).not.toContain("mk_");
    const posted = await callTool(token, "post_message", { session_id, content: { text: "Hello" } });
    expect(posted).toMatchObject({ isError: false });
    await admin.call("post_message", { session_id, team_id: session.team_id, content: { text: "Welcome" } });
    const waited = await callTool(token, "wait_for_messages", { session_id, timeout: 5 });
    expect(JSON.stringify(waited.output)).toContain("Welcome");
    const { messages } = await admin.call("get_history", { session_id, types: ["chat"] });
    expect(messages).toMatchObject([
      { from: { team: team_name, human: false } },
      { content: { text: "Welcome" } },
    ]);
    expect((await birch.call("list_tokens", {})).tokens).toMatchObject([
      { token_id, kind: "client", label: "Hosted Helper", member: "Birch", session: { slug } },
    ]);
    expect(broker.logged.join("\n")).not.toContain(token);
  });

  it("[OAUTH-6] it has nothing of its member's: no other session, no person's power, no invite, no token", async () => {
    const { token } = await approveClient();
    const { session_id } = session;
    const other = await birch.call("create_session", { title: "Not for it", creator_team_name: "Birch" });
    expect(await callTool(token, "get_history", { session_id: other.session_id })).toMatchObject({
      output: { error: { code: "not_found" } },
    });
    const beyond: readonly [string, object][] = [
      ["list_sessions", {}],
      ["search", { query: "hello" }],
      ["recall", { query: "hello" }],
      ["create_person", { name: "Birch" }],
      ["issue_token", {}],
      ["create_invite", {}],
      ["list_members", {}],
      ["hold_session", { session_id, reason: "mine" }],
      ["create_observer_link", { session_id }],
      ["rotate_team_credential", { session_id }],
      ["create_session", { title: "Another" }],
    ];
    for (const [name, args] of beyond) {
      expect([name, (await callTool(token, name, args)).output]).toMatchObject([
        name,
        { error: { code: "forbidden" } },
      ]);
    }
    const named = { session_id, team_name: "Helper", peer_name: "second" };
    expect((await callTool(token, "join_session", named)).output).toMatchObject({
      error: { code: "bad_request" },
    });
    // Sending the approving member's credential gives the client no further permissions.
    const person = await birch.call("create_person", { name: "Birch" });
    const held = { session_id, reason: "mine", team_id: person.person_id };
    expect((await callTool(token, "hold_session", held)).output).toMatchObject({
      error: { code: "forbidden" },
    });
  });

  it("[OAUTH-6] of all operations it may call what a team does in its session, whatever is given beside", async () => {
    const { token } = await approveClient();
    const { session_id } = session;
    const person = await birch.call("create_person", { name: "Birch" });
    const inputs: Readonly<Record<string, object>> = buildValidInputs({
      ...{ session_id, team_id: session.team_id, person_id: person.person_id },
    });
    const ended = new Set(["leave_session", "conclude_session"]);
    const served: string[] = [];
    for (const { name } of operations) {
      if (ended.has(name)) continue;
      const { output } = await callTool(token, name, inputs[name] ?? {});
      if (Object(output?.["error"]).code !== "forbidden") served.push(name);
    }
    const publicly = operations.filter(({ access }) => access === "public").map(({ name }) => name);
    const ofTeams = operations.filter(
      ({ name, access, human, notForModels, route }) =>
        ["team", "reader", "open"].includes(access) &&
        route.includes("/:session_id") &&
        !human &&
        !notForModels &&
        name !== "rotate_team_credential",
    );
    const expected = [...ofTeams.map(({ name }) => name), "get_app_info", ...publicly];
    // Only a message's author or an admin may call redact_message, and this client did not write the message in the
    // input.
    const beyond = new Set([...ended, "redact_message"]);
    expect(served.filter((name) => !beyond.has(name)).sort()).toEqual(
      expected.filter((name) => !beyond.has(name)).sort(),
    );
  });

  it("[OAUTH-5] its token is good for MCP alone: nothing else takes it", async () => {
    const { token } = await approveClient();
    const headers = { authorization: `Bearer ${token}` };
    for (const path of ["/api/sessions", "/metrics", `/api/sessions/${session.slug}/export`, "/api/person"]) {
      expect([path, (await fetch(`${base}${path}`, { headers })).status]).toEqual([path, 401]);
    }
    expect(await callTool(token, "get_session", { session_id: session.slug })).toMatchObject({ status: 200 });
  });

  it("[OAUTH-5] what asks for a token for somebody else's resource is refused, at both steps", async () => {
    const elsewhere = "https://other.example.com/api/mcp";
    const client = await startClient();
    const mixedUp = { ...client, request: { ...client.request, resource: elsewhere } };
    await expect(approve(birch, mixedUp)).rejects.toMatchObject({ code: "bad_request" });
    const { redirect_to } = await approve(birch, client);
    await expect(redeemCode(client, redirect_to, { resource: `${base}/mcp` })).rejects.toMatchObject({
      error: "invalid_grant",
    });
  });

  it("[OAUTH-4] a code that is presented again ends the token that it gave", async () => {
    const { client, token, redirect_to, token_id } = await approveClient();
    expect(await callTool(token, "get_session", { session_id: session.slug })).toMatchObject({ status: 200 });
    await expect(redeemCode(client, redirect_to)).rejects.toMatchObject({ error: "invalid_grant" });
    expect(await callTool(token, "get_session", { session_id: session.slug })).toMatchObject({ status: 401 });
    const { tokens } = await birch.call("list_tokens", {});
    expect(tokens.map((each) => each.token_id)).not.toContain(token_id);
  });

  it("[OAUTH-4] of many who redeem a code at once at most one gets a token, and it is worth nothing then", async () => {
    const client = await startClient();
    const { redirect_to } = await approve(birch, client);
    const raced = await Promise.allSettled(Array.from({ length: 8 }, () => redeemCode(client, redirect_to)));
    const given = raced.flatMap((each) => (each.status === "fulfilled" ? [each.value.access_token] : []));
    expect(given.length).toBeLessThanOrEqual(1);
    for (const token of given) {
      expect(await callTool(token, "get_session", { session_id: session.slug })).toMatchObject({
        status: 401,
      });
    }
  });

  it("[OAUTH-4] a code that somebody else presents is worth nothing, to its client either", async () => {
    const other = await startClient();
    const wrong: readonly ((client: OAuthClient, to: string) => Promise<unknown>)[] = [
      (client, to) => redeemCode(client, to, { verifier: oauth.generateRandomCodeVerifier() }),
      (client, to) => redeemCode(client, to, { redirect: `${redirect}/` }),
      (client, to) => redeemCode({ ...client, client: other.client }, to),
    ];
    for (const attempt of wrong) {
      const client = await startClient();
      const { redirect_to } = await approve(birch, client);
      await expect(attempt(client, redirect_to)).rejects.toMatchObject({ error: "invalid_grant" });
      await expect(redeemCode(client, redirect_to)).rejects.toMatchObject({ error: "invalid_grant" });
    }
  });

  it("[OAUTH-4] a code is good for clientCodeSeconds", async () => {
    const client = await startClient();
    const { redirect_to } = await approve(birch, client);
    const sql = connectTestDatabase(broker.databaseUrl);
    await sql`UPDATE client_grants SET code_expires_at = now() - interval '1 ms'`;
    await expect(redeemCode(client, redirect_to)).rejects.toMatchObject({ error: "invalid_grant" });
  });

  it("[OAUTH-3] a redirect that the client did not register gets no answer, not even a refusal", async () => {
    const client = await startClient();
    const swapped = [
      "https://evil.example.com/callback",
      `${redirect}?next=https://evil.example.com`,
      `${redirect}/../elsewhere`,
      redirect.toUpperCase(),
      "https://client.example.com:8443/callback",
    ];
    for (const redirect_uri of swapped) {
      const request = { ...client.request, redirect_uri };
      await expect(birch.call("preview_client", request)).rejects.toMatchObject({ code: "bad_request" });
      await expect(approve(birch, { request })).rejects.toMatchObject({ code: "bad_request" });
    }
    expect(await birch.call("preview_client", client.request)).toMatchObject({
      name: "Hosted Helper",
      redirect_host: "client.example.com",
      refuse_to: `${redirect}?error=access_denied&state=${client.request.state}&iss=${encodeURIComponent(base)}`,
    });
  });

  it("[OAUTH-3] without PKCE by S256 there is no code", async () => {
    const { request } = await startClient();
    for (const more of [
      { code_challenge_method: "plain" },
      { code_challenge: "" },
      { response_type: "token" },
    ]) {
      await expect(approve(birch, { request: { ...request, ...(more as object) } })).rejects.toMatchObject({
        code: "bad_request",
      });
    }
  });

  it("[OAUTH-3] a member decides, and nothing else: no program's token, no model, no client, no page by its cookie", async () => {
    const { request } = await startClient();
    const input = { session_id: session.session_id, team_name: "Helper", ...request };
    const own = await birch.call("issue_token", {});
    const inBrowser = await brokerTransports.rest(base, await signInBrowser(base, birch));
    const child = await inBrowser.call("issue_token", {});
    const post = (path: string, headers: Record<string, string>) =>
      fetch(`${base}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(input),
      });
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
    const path = `/api/sessions/${session.slug}/clients`;
    expect((await post(path, bearer(child.token))).status).toBe(403);
    expect((await callTool(own.token, "approve_client", input)).output).toMatchObject({
      error: { code: "forbidden" },
    });
    const { token } = await approveClient();
    expect((await callTool(token, "approve_client", input)).output).toMatchObject({
      error: { code: "forbidden" },
    });
    expect((await post(path, {})).status).toBe(401);
    // A page on another site can at most make the browser send its cookie.
    const both = await signIn(birch);
    const { cookie } = both;
    expect((await post(path, { cookie })).status).toBe(401);
    expect((await post(path, both)).status).toBe(403);
    expect((await post(path, { ...both, origin: "https://evil.example.com" })).status).toBe(403);
    expect((await post(path, { ...both, origin: base })).status).toBe(200);
  });

  it("[OAUTH-7] it ends with its revoking, with its member, and with the browser in which it was approved", async () => {
    const dune = await newMember("Dune");
    const revoked = await approveClient(dune);
    const removed = await approveClient(dune, "Other");
    const works = async (token: string) =>
      (await callTool(token, "get_session", { session_id: session.slug })).status;
    await admin.call("revoke_token", { token_id: revoked.token_id });
    expect([await works(revoked.token), await works(removed.token)]).toEqual([401, 200]);
    const waiting = callTool(removed.token, "wait_for_messages", {
      session_id: session.slug,
      timeout: 25,
    }).then(
      ({ status, isError }) => status === 401 || isError,
      // A rejection means that the broker closed the connection.
      () => true,
    );
    await admin.call("revoke_member", { member_id: dune.member_id });
    expect(await works(removed.token)).toBe(401);
    expect(await waiting).toBe(true);

    const browser = { ...(await signIn(birch)), "content-type": "application/json", origin: base };
    const client = await startClient();
    const approved = await fetch(`${base}/api/sessions/${session.slug}/clients`, {
      method: "POST",
      headers: browser,
      body: JSON.stringify({ team_name: "Of a browser", ...client.request }),
    });
    const { access_token } = await redeemCode(client, Object(await approved.json()).redirect_to);
    expect(await works(access_token)).toBe(200);
    await fetch(`${base}/api/sign-out`, { method: "POST", headers: browser });
    expect(await works(access_token)).toBe(401);
  });

  it("[OAUTH-7] the same team is there again when its client is let in anew, and nobody else's team ever", async () => {
    const first = await approveClient(birch, "Comes back");
    const again = await approveClient(birch, "Comes back");
    const foreign = await approveClient(admin, "Comes back");
    expect([first.team_name, again.team_name, foreign.team_name]).toEqual([
      "Comes back",
      "Comes back",
      "Comes back (2)",
    ]);
  });

  it("[OAUTH-2] a flood of registrations leaves nothing behind, and none is forged", async () => {
    const sql = connectTestDatabase(broker.databaseUrl);
    const rows = async () => {
      const [{ count } = { count: 0 }] = await sql`SELECT
        (SELECT count(*) FROM client_grants) + (SELECT count(*) FROM tokens) AS count`;
      return Number(count);
    };
    const before = await rows();
    const first = await startClient();
    const body = JSON.stringify({ redirect_uris: [redirect] });
    const headers = { "content-type": "application/json" };
    const flood = Array.from({ length: 200 }, () =>
      fetch(`${base}/oauth/register`, { method: "POST", headers, body }),
    );
    expect((await Promise.all(flood)).every(({ status }) => status === 201)).toBe(true);
    expect(await rows()).toBe(before);
    // A client that registered before the flood of registrations can still be approved.
    expect(await approve(birch, first)).toMatchObject({ team_name: "Helper" });
    const bytes = Buffer.from(first.client.client_id, "base64url");
    bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
    for (const client_id of [bytes.toString("base64url"), "x", randomBytes(60).toString("base64url")]) {
      await expect(approve(birch, { request: { ...first.request, client_id } })).rejects.toMatchObject({
        code: "bad_request",
      });
    }
  });

  it("[OAUTH-2] a client registers few addresses of its own, each https or on the person's machine", async () => {
    const register = async (metadata: object) => {
      const response = await fetch(`${base}/oauth/register`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(metadata),
      });
      return Object(await response.json()).error ?? response.status;
    };
    const many = (count: number) => Array.from({ length: count }, (_, n) => `${redirect}/${n}`);
    const long = `${redirect}/${"a".repeat(limits.clientRedirectCharsMax)}`;
    expect(await register({ redirect_uris: many(limits.clientRedirectsMax) })).toBe(201);
    expect(await register({ redirect_uris: [long.slice(0, limits.clientRedirectCharsMax)] })).toBe(201);
    expect(await register({ redirect_uris: ["http://127.0.0.1:33418/callback"] })).toBe(201);
    expect(await register({ redirect_uris: ["https://client.example.com"] })).toBe(201);
    const refused = [
      [],
      many(limits.clientRedirectsMax + 1),
      [long.slice(0, limits.clientRedirectCharsMax + 1)],
      ["http://client.example.com/callback"],
      ["http://localhost.evil.example.com/"],
      ["javascript:alert(1)"],
      ["data:text/html,x"],
      ["cursor://callback"],
      [`${redirect}#fragment`],
      ["https://client.example.com\\@evil.example.com/callback"],
      ["https://client.example.com/\tcallback"],
      [` ${redirect}`],
      ["https://client.example.com/a/../callback"],
      ["https://CLIENT.example.com/callback"],
      ["https://client.example.com:443/callback"],
      ["https://ｃlient.example.com/callback"],
      ["https://user:word@client.example.com/"],
      ["callback"],
    ];
    for (const redirect_uris of refused) {
      expect([redirect_uris, await register({ redirect_uris })]).toEqual([
        redirect_uris,
        "invalid_redirect_uri",
      ]);
    }
    for (const metadata of [
      { redirect_uris: [redirect], token_endpoint_auth_method: "client_secret_basic" },
      { redirect_uris: [redirect], client_name: "Ana\u202eanA" },
      { redirect_uris: [redirect], client_name: "x".repeat(limits.nameCharsMax + 1) },
    ]) {
      expect(await register(metadata)).toBe("invalid_client_metadata");
    }
  });

  it("[OAUTH-4] the token endpoint says in OAuth's words what is wrong, and is never stored on the way", async () => {
    const post = (body: string, type = "application/x-www-form-urlencoded") =>
      fetch(`${base}/oauth/token`, { method: "POST", headers: { "content-type": type }, body });
    const response = await post("grant_type=password&username=a&password=b");
    expect([response.status, response.headers.get("cache-control")]).toEqual([400, "no-store"]);
    expect(await response.json()).toEqual(refusal("unsupported_grant_type"));
    const twice = await post("grant_type=authorization_code&code=a&code=b");
    expect(await twice.json()).toEqual(refusal("invalid_request"));
    expect(await (await post("{}", "application/json")).json()).toEqual(refusal("invalid_request"));
    const foreign = await fetch(`${base}/oauth/token`, {
      method: "POST",
      headers: { origin: "https://evil.example.com" },
    });
    expect(foreign.status).toBe(403);
  });

  it("[OAUTH-4] codes and tokens are stored as hashes alone", async () => {
    const { token, redirect_to } = await approveClient();
    const code = new URL(redirect_to).searchParams.get("code") ?? "";
    const sql = connectTestDatabase(broker.databaseUrl);
    const rows =
      await sql`SELECT t::text || g::text AS row FROM tokens t JOIN client_grants g USING (mesh_id, number)`;
    const all = rows.map(({ row }) => row).join("\n");
    expect(all).toContain(createHash("sha256").update(token).digest("hex"));
    expect(all).not.toContain(code);
    expect(all).not.toContain(token);
  });
});
