import type { OutputOf } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { beforeAll, describe, expect, it } from "vitest";
import { createCleanup } from "../kit/cleanup.js";
import { joinMesh, signInBrowser, startInviteBroker, type TestMember } from "../kit/members.js";
import type { TestBroker } from "../kit/test-broker.js";
import { connectTestDatabase } from "../kit/test-database.js";
import { brokerTransports } from "../kit/transports.js";

let broker: TestBroker;
let admin: TestMember;
let birch: TestMember;
let session: OutputOf<"create_session">;
const cleanup = createCleanup();
beforeAll(async () => {
  ({ broker, admin } = await startInviteBroker(cleanup));
  birch = await newMember("Birch");
  session = await admin.call("create_session", { title: "Looked at", creator_team_name: "Ana's" });
});

async function newMember(name: string): Promise<TestMember> {
  const { link } = await admin.call("create_invite", {});
  return joinMesh(broker.url, { invite: link, name }, cleanup);
}

async function get(path: string, token: string): Promise<{ status: number; body: unknown }> {
  const response = await fetch(new URL(path, broker.url), { headers: { authorization: `Bearer ${token}` } });
  return { status: response.status, body: await response.json() };
}

/** Expects a lifetime of this many seconds, starting after `began`. */
function expectToLast(seconds: number, began: number, expires_at: string): void {
  const start = Date.parse(expires_at) - seconds * 1_000;
  // The database's clock may differ slightly from this process's clock.
  expect(start).toBeGreaterThan(began - 1_000);
  expect(start).toBeLessThan(Date.now() + 1_000);
}

describe("Tokens", () => {
  it("[TOKEN-1] a member's token lets programs act for it over HTTP, until it is revoked", async () => {
    const began = Date.now();
    const { token, token_id, link, expires_at } = await birch.call("issue_token", { label: "CI" });
    expect(link).toBeNull();
    expectToLast(limits.tokenSeconds, began, expires_at);
    expect(await get("/api/sessions", token)).toMatchObject({ status: 200 });
    expect((await birch.call("list_tokens", {})).tokens).toMatchObject([
      { token_id, kind: "bearer", label: "CI", member: "Birch", last_used_at: expect.any(String) },
    ]);
    await birch.call("revoke_token", { token_id });
    expect(await get("/api/sessions", token)).toMatchObject({ status: 401 });
    expect((await birch.call("list_tokens", {})).tokens).toEqual([]);
    expect(broker.logged.join("\n")).not.toContain(token.slice(4));
  });

  it("[TOKEN-1] a sign-in link has its secret behind the #, and lasts signInSeconds unless told, signInSecondsMax at most", async () => {
    const began = Date.now();
    const { link, token, expires_at } = await birch.call("issue_token", { kind: "sign_in" });
    expect(link).toBe(`${broker.url.replace("127.0.0.1", "localhost")}/sign-in#${token}`);
    expectToLast(limits.signInSeconds, began, expires_at);
    const lasting = (expires_in_s: number) => birch.call("issue_token", { kind: "sign_in", expires_in_s });
    await lasting(limits.signInSecondsMax);
    await expect(lasting(limits.signInSecondsMax + 1)).rejects.toMatchObject({ code: "bad_request" });
    expect(await get("/api/sessions", token)).toMatchObject({ status: 401 });
  });

  it("[LIMIT-1] a token lasts at most tokenSecondsMax", async () => {
    const lasting = (expires_in_s: number) => birch.call("issue_token", { expires_in_s });
    await lasting(limits.tokenSecondsMax);
    await expect(lasting(limits.tokenSecondsMax + 1)).rejects.toMatchObject({ code: "bad_request" });
  });

  it("[LIMIT-1] the newest tokensListedMax tokens are listed", async () => {
    const fir = await newMember("Fir");
    const sql = connectTestDatabase(broker.databaseUrl);
    await sql`INSERT INTO tokens (mesh_id, number, kind, secret_hash, member_id, created_at, expires_at)
      SELECT ${fir.mesh_id}, 100000 + n, 'bearer', sha256(n::text::bytea), ${fir.member_id}, now(), now() + interval '1 hour'
      FROM generate_series(0, ${limits.tokensListedMax}) n`;
    const { tokens } = await admin.call("list_tokens", {});
    expect(tokens).toHaveLength(limits.tokensListedMax);
    await sql`DELETE FROM tokens WHERE member_id = ${fir.member_id}`;
  });

  it("[TOKEN-4] [INVITE-1] an open invite that was made in a browser, or in one that came of it, ends with it", async () => {
    const first = await signInBrowser(broker.url, admin);
    const inFirst = await brokerTransports.rest(broker.url, first);
    const [browser] = (await admin.call("list_tokens", {})).tokens;
    const ofChild = await brokerTransports.rest(broker.url, await signInBrowser(broker.url, inFirst));
    const sql = connectTestDatabase(broker.databaseUrl);
    await sql`UPDATE tokens SET expires_at = now() + interval '1 hour' WHERE number >= ${browser?.token_id ?? 0} AND kind = 'browser'`;
    const made = await ofChild.call("create_invite", { role: "admin", code: true, expires_in_s: 86_400 });
    expect(Date.parse(made.expires_at) - Date.now()).toBeLessThanOrEqual(3_600_000);
    const own = await admin.call("create_invite", {});
    const stateOf = async (invite: string) => (await admin.call("preview_invite", { invite })).state;
    expect(await stateOf(made.link)).toBe("open");
    const raced = Promise.allSettled(Array.from({ length: 8 }, () => ofChild.call("create_invite", {})));
    await admin.call("revoke_token", { token_id: browser?.token_id ?? 0 });
    expect(await stateOf(made.link)).toBe("revoked");
    expect(await stateOf(made.code ?? "")).toBe("revoked");
    await expect(joinMesh(broker.url, { invite: made.link, name: "Late" }, cleanup)).rejects.toMatchObject({
      code: "forbidden",
    });
    // No invite stays open, regardless of the order in which the racing calls ran.
    for (const each of await raced) {
      if (each.status === "fulfilled") expect(await stateOf(each.value.link)).not.toBe("open");
    }
    expect(await stateOf(own.link)).toBe("open");
  });

  it("[TOKEN-6] members see and revoke their own tokens, an admin all", async () => {
    const mine = await admin.call("issue_token", {});
    const { token_id, token } = await birch.call("issue_token", {});
    const numbers = async (member: TestMember) =>
      (await member.call("list_tokens", {})).tokens.map((each) => each.token_id);
    expect(await numbers(birch)).not.toContain(mine.token_id);
    expect(await numbers(admin)).toEqual(expect.arrayContaining([mine.token_id, token_id]));
    await expect(birch.call("revoke_token", { token_id: mine.token_id })).rejects.toMatchObject({
      code: "not_found",
    });
    await admin.call("revoke_token", { token_id });
    expect(await get("/api/sessions", token)).toMatchObject({ status: 401 });
  });

  it("[TOKEN-7] an observer's link shows one session for observerSeconds unless told, and nothing else", async () => {
    const began = Date.now();
    const { session_id, slug } = session;
    const made = await birch.call("create_observer_link", { session_id: slug, label: "the customer" });
    expect(made.link).toMatch(/\/sessions\/looked-at#observe=mko_[A-Za-z0-9_-]{43}$/);
    expectToLast(limits.observerSeconds, began, made.expires_at);
    expect(await get(`/api/sessions/${slug}`, made.token)).toMatchObject({
      status: 200,
      body: { session_id },
    });
    const other = await admin.call("create_session", { title: "Not for them", creator_team_name: "Ana's" });
    expect(await get(`/api/sessions/${other.slug}`, made.token)).toMatchObject({ status: 404 });
    expect(await get("/api/members", made.token)).toMatchObject({ status: 403 });
    expect((await birch.call("list_tokens", {})).tokens[0]).toMatchObject({
      kind: "observer",
      member: null,
      session: { slug },
    });
    await birch.call("revoke_token", { token_id: made.token_id });
    expect(await get(`/api/sessions/${slug}`, made.token)).toMatchObject({ status: 401 });
  });
});

describe("Members", () => {
  it("[MEMBER-1] members are listed in the order of joining, revoked ones included", async () => {
    const oak = await newMember("Oak");
    await admin.call("revoke_member", { member_id: oak.member_id });
    const { members } = await birch.call("list_members", {});
    expect(members.slice(0, 2)).toMatchObject([
      { name: "Ana", role: "admin", own: false, revoked: null },
      { name: "Birch", role: "member", own: true, public_key: birch.memberKey.publicKey },
    ]);
    expect(members.at(-1)).toMatchObject({ name: "Oak", revoked: { by: "Ana" } });
  });

  it("[MEMBER-2] a revoked member's tokens, links, invites and connections end, and its key stays out", async () => {
    const oak = await newMember("Oak");
    const { token } = await oak.call("issue_token", {});
    const observer = await oak.call("create_observer_link", { session_id: session.slug });
    const invite = await oak.call("create_invite", { uses: 5 });
    await expect(birch.call("revoke_member", { member_id: oak.member_id })).rejects.toMatchObject({
      code: "forbidden",
    });
    expect(await admin.call("revoke_member", { member_id: oak.member_id })).toMatchObject({ name: "Oak" });
    await expect(oak.call("list_members", {})).rejects.toMatchObject({ code: "unauthorized" });
    expect(await get("/api/sessions", token)).toMatchObject({ status: 401 });
    expect(await get(`/api/sessions/${session.slug}`, observer.token)).toMatchObject({ status: 401 });
    const comes = { name: "Oak", memberKey: oak.memberKey };
    await expect(joinMesh(broker.url, { invite: invite.link, name: "X" }, cleanup)).rejects.toMatchObject({
      details: { state: "revoked" },
    });
    const { link } = await admin.call("create_invite", {});
    await expect(joinMesh(broker.url, { ...comes, invite: link }, cleanup)).rejects.toMatchObject({
      code: "forbidden",
    });
    expect(await admin.call("revoke_member", { member_id: oak.member_id })).toMatchObject({ name: "Oak" });
  });

  it("[MEMBER-2] the last admin is not revoked, also where two revoke each other at once", async () => {
    const { broker, admin } = await startInviteBroker(cleanup);
    const alone = admin.call("revoke_member", { member_id: admin.member_id });
    await expect(alone).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("last admin"),
    });
    const { link } = await admin.call("create_invite", { role: "admin" });
    const second = await joinMesh(broker.url, { invite: link, name: "Second" }, cleanup);
    const answers = await Promise.allSettled([
      admin.call("revoke_member", { member_id: second.member_id }),
      second.call("revoke_member", { member_id: admin.member_id }),
    ]);
    expect(answers.map((each) => each.status).sort()).toEqual(["fulfilled", "rejected"]);
    // The remaining member is an admin, so the restarted broker creates no invite for a first admin.
    await broker.restart();
    expect(broker.broker.firstInvite).toBeNull();
  });

  it("[MEMBER-3] a member who joins under the name of its own team comes back to it; another's name is numbered", async () => {
    const join = (member: TestMember, team_name: string, more: { peer_name?: string } = {}) =>
      member.call("join_session", { session_id: session.slug, team_name, ...more });
    const first = await join(birch, "Grove");
    const second = await join(birch, "grove");
    expect(second).toMatchObject({ team_name: "Grove", resumed: true });
    expect(second.team_id).not.toBe(first.team_id);
    expect(second.team_id.slice(0, 36)).toBe(first.team_id.slice(0, 36));
    const peered = await join(birch, "Grove", { peer_name: "atlas" });
    expect(peered).toMatchObject({ team_name: "Grove", peer_name: "atlas" });
    expect(await join(admin, "Grove")).toMatchObject({ team_name: "Grove (2)", resumed: false });

    const post = (member: TestMember, team_id: string) =>
      member.call("post_message", { session_id: session.slug, team_id, content: { text: "here" } });
    for (const { team_id } of [first, second, peered]) expect(await post(birch, team_id)).toBeTruthy();
    await expect(post(admin, second.team_id)).rejects.toMatchObject({ code: "unauthorized" });

    const rotated = await birch.call("rotate_team_credential", {
      session_id: session.slug,
      team_id: second.team_id,
    });
    for (const { team_id } of [first, second])
      await expect(post(birch, team_id)).rejects.toMatchObject({ code: "unauthorized" });
    expect(await post(birch, rotated.team_id)).toBeTruthy();
  });

  it("[MEMBER-3] of two machines that join at once under one name, one makes the team and the other comes to it", async () => {
    const joined = await Promise.all(
      Array.from({ length: 4 }, () =>
        birch.call("join_session", { session_id: session.slug, team_name: "At once" }),
      ),
    );
    expect(joined.map((each) => each.team_name)).toEqual(Array(4).fill("At once"));
    expect(new Set(joined.map((each) => each.team_id.slice(0, 36))).size).toBe(1);
    expect(new Set(joined.map((each) => each.team_id)).size).toBe(4);
    expect(joined.filter((each) => !each.resumed)).toHaveLength(1);
  });

  it("[MEMBER-4] a member is one person in all its browsers; of more than furtherSecretsMax the oldest is signed out", async () => {
    const oak = await newMember("Oak");
    const made = [];
    for (let count = 0; count < limits.furtherSecretsMax + 2; count += 1)
      made.push(await oak.call("create_person", { name: count === 0 ? "Oak" : `Browser ${count}` }));
    const credentials = made.map((each) => each.person_id);
    expect(new Set(credentials.map((each) => each.slice(0, 36))).size).toBe(1);
    expect(made.at(-1)?.name).toBe("Oak");
    const asks = (team_id = "") => oak.call("get_person", { team_id });
    expect(await asks(credentials[0])).toMatchObject({ name: "Oak" });
    expect(await asks(credentials[2])).toMatchObject({ name: "Oak" });
    expect(await asks(credentials.at(-1))).toMatchObject({ name: "Oak" });
    await expect(asks(credentials[1])).rejects.toMatchObject({ code: "unauthorized" });
    await expect(birch.call("get_person", { team_id: credentials[2] })).rejects.toMatchObject({
      code: "unauthorized",
    });
    const said = await oak.call("post_message", {
      session_id: session.slug,
      team_id: credentials[3],
      content: { text: "from another browser" },
    });
    expect(said).toBeTruthy();
  });
});
