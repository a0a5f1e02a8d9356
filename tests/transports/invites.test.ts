import { deleteEndedInvites, openDatabase } from "@merkle/db";
import type { InputOf, OutputOf } from "@merkle/wire";
import { drawSeed } from "@merkle/wire/identity";
import { deriveSigningKey, proveJoin, type SigningKey } from "@merkle/wire/keys";
import { limits } from "@merkle/wire/limits";
import type postgres from "postgres";
import { beforeAll, describe, expect, it } from "vitest";
import { createCleanup } from "../kit/cleanup.js";
import { joinMesh, redeem, startInviteBroker, type TestMember } from "../kit/members.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { connectTestDatabase } from "../kit/test-database.js";
import { brokerTransports, type TransportClient } from "../kit/transports.js";

let broker: TestBroker;
let admin: TestMember;
let rest: TransportClient;
let sql: postgres.Sql;
const cleanup = createCleanup();
beforeAll(async () => {
  ({ broker, admin } = await startInviteBroker(cleanup));
  rest = await brokerTransports.rest(broker.url);
  sql = connectTestDatabase(broker.databaseUrl, cleanup);
});

const newKey = () => deriveSigningKey(drawSeed());
const invite = (input: InputOf<"create_invite"> = {}) => admin.call("create_invite", input);
const redeemWith = (given: string, memberKey: SigningKey = newKey(), name = "Birch") =>
  redeem(broker.url, { invite: given, name, memberKey });
const preview = (given: string) => rest.call("preview_invite", { invite: given });

async function session(title: string): Promise<OutputOf<"create_session">> {
  return admin.call("create_session", { title, creator_team_name: "Ana's" });
}

describe("Invites", () => {
  it("[INVITE-1] an invite is a link whose secret stands behind the #, and of which only a hash is stored", async () => {
    const { slug } = await session("Split the auth service");
    const made = await invite({ session_id: slug, uses: 3 });
    expect(made).toMatchObject({
      state: "open",
      role: "member",
      inviter: "Ana",
      own: true,
      uses_left: 3,
      code: null,
    });
    expect(made.session).toMatchObject({ slug, title: "Split the auth service" });
    const [, secret = ""] = /^http:\/\/localhost:\d+\/join#([A-Za-z0-9_-]{22})$/.exec(made.link) ?? [];
    const dump = JSON.stringify(await sql`SELECT to_jsonb(invites) AS row FROM invites`);
    expect(dump).toContain('"inviter":"Ana"');
    expect(dump).not.toContain(secret);
    expect(Date.parse(made.expires_at) - Date.parse(made.created_at)).toBe(limits.inviteSeconds * 1_000);
    expect(broker.logged.join("\n")).not.toContain(secret);

    const joined = await redeemWith(made.link);
    expect(joined).toMatchObject({ name: "Birch", role: "member", mesh: "main", session: made.session });
    expect(await preview(made.link)).toMatchObject({ state: "open", uses_left: 2 });
  });

  it("[INVITE-2] one use lets one in, however many ask at once", async () => {
    const { link, invite_id } = await invite();
    const answers = await Promise.allSettled(Array.from({ length: 30 }, () => redeemWith(link)));
    expect(answers.filter((each) => each.status === "fulfilled")).toHaveLength(1);
    for (const each of answers) {
      if (each.status === "rejected")
        expect(each.reason).toMatchObject({ code: "forbidden", details: { state: "used" } });
    }
    const { members } = await admin.call("list_members", {});
    expect(members.filter((each) => each.invite_id === invite_id)).toHaveLength(1);
  });

  it("[INVITE-4] a preview tells what an invite is for and uses nothing up, to whoever holds it", async () => {
    const { slug } = await session("Q3 pricing");
    const { link, expires_at } = await invite({ session_id: slug, role: "admin" });
    expect(await preview(link)).toEqual({
      state: "open",
      mesh: "main",
      title: "Q3 pricing",
      slug,
      inviter: "Ana",
      role: "admin",
      expires_at,
      revoked_at: null,
      uses_left: 1,
      key_pin: null,
      broker_id: admin.broker_id,
      mesh_id: admin.mesh_id,
    });
    expect(await preview(link.split("#")[1] ?? "")).toMatchObject({ uses_left: 1 });
    for (const wrong of [
      "x",
      link.slice(0, -1),
      `${link}A`,
      "31-7KQ2-M4XD",
      `${broker.url}/join#${"A".repeat(22)}`,
    ])
      await expect(preview(wrong), wrong).rejects.toMatchObject({ code: "not_found" });
  });

  it("[INVITE-7] the same key has the same membership again, from a used invite, too, and uses nothing up", async () => {
    const { link } = await invite({ uses: 2 });
    const key = newKey();
    const first = await redeemWith(link, key);
    const again = await Promise.all([redeemWith(link, key), redeemWith(link, key, "Another name")]);
    expect(again).toEqual([first, first]);
    expect(await preview(link)).toMatchObject({ uses_left: 1 });
    await redeemWith(link);
    expect(await redeemWith(link, key)).toEqual(first);
    const other = await invite();
    expect(await redeemWith(other.link, key)).toMatchObject({ member_id: first.member_id });
    expect(await preview(other.link)).toMatchObject({ uses_left: 1 });
    expect((await redeemWith(other.link)).member_id).not.toBe(first.member_id);
    // A redemption by an existing member does not count as a use of the invite, and is possible even after the last
    // use.
    expect(await redeemWith(other.link, key)).toMatchObject({ member_id: first.member_id });
    await admin.call("revoke_invite", { invite_id: other.invite_id });
    expect(await redeemWith(other.link, key)).toMatchObject({ member_id: first.member_id });
  });

  it("[INVITE-7] an admin's invite makes a member an admin, and is used up by it", async () => {
    const key = newKey();
    const member = await redeemWith((await invite()).link, key);
    const { link } = await invite({ role: "admin" });
    expect(await redeemWith(link, key)).toMatchObject({ member_id: member.member_id, role: "admin" });
    await expect(redeemWith(link)).rejects.toMatchObject({ code: "forbidden" });
    const plain = newKey();
    await redeemWith((await invite()).link, plain);
    await expect(redeemWith(link, plain)).rejects.toMatchObject({
      code: "forbidden",
      details: { state: "used" },
    });
  });

  it("[INVITE-6] who joins proves to hold the key, to this broker, for this invite and name, and just now", async () => {
    const { link } = await invite();
    const [memberKey, other] = [newKey(), newKey()];
    const brokerId = admin.broker_id;
    const proof = proveJoin({ brokerId, invite: link, name: "Birch", memberKey });
    const late = (skewMs: number) =>
      proveJoin({ brokerId, invite: link, name: "Birch", memberKey, now: new Date(Date.now() + skewMs) });
    const skewMs = limits.clockSkewSecondsMax * 1_000;
    for (const [what, forged] of [
      ["another name", { ...proof, name: "Cedar" }],
      ["another key", { ...proof, public_key: other.publicKey }],
      ["another time", { ...proof, time: new Date(Date.now() - 5_000).toISOString() }],
      ["another form of the invite", { ...proof, invite: link.split("#")[1] ?? "" }],
      ["another broker", proveJoin({ brokerId: admin.mesh_id, invite: link, name: "Birch", memberKey })],
      ["too old", late(-skewMs - 2_000)],
      ["from the future", late(skewMs + 20_000)],
    ] as const) {
      await expect(rest.call("redeem_invite", forged), what).rejects.toMatchObject({ code: "unauthorized" });
    }
    await expect(
      rest.callRaw("redeem_invite", { ...proof, signature: proof.signature.slice(1) }),
    ).rejects.toMatchObject({ code: "bad_request" });
    expect(await preview(link)).toMatchObject({ uses_left: 1 });
    expect(await rest.call("redeem_invite", late(-skewMs + 20_000))).toMatchObject({ name: "Birch" });
  });

  it("[INVITE-4] an invite that was used, revoked or has expired says so, when, and whom to ask, and lets nobody in", async () => {
    const [used, revoked, expired] = [await invite(), await invite(), await invite({ expires_in_s: 1 })];
    await redeemWith(used.link);
    expect(await admin.call("revoke_invite", { invite_id: revoked.invite_id })).toEqual({
      invite_id: revoked.invite_id,
      state: "revoked",
    });
    await sql`UPDATE invites SET expires_at = now() WHERE number = ${expired.invite_id}`;
    for (const [{ link }, state, words] of [
      [used, "used", "was used up. Ask Ana"],
      [revoked, "revoked", /was revoked at 20.*Z\. Ask Ana/],
      [expired, "expired", /expired at 20.*Z\. Ask Ana/],
    ] as const) {
      expect(await preview(link)).toMatchObject({ state, inviter: "Ana" });
      await expect(redeemWith(link)).rejects.toMatchObject({
        code: "forbidden",
        message: expect.stringMatching(words),
        details: { state, inviter: "Ana" },
      });
    }
  });

  it("[INVITE-8] members list and revoke their own invites, an admin all; only an admin invites one", async () => {
    const birch = await joinMesh(broker.url, { invite: (await invite()).link, name: "Birch" }, cleanup);
    await expect(birch.call("create_invite", { role: "admin" })).rejects.toMatchObject({ code: "forbidden" });
    const own = await birch.call("create_invite", {});
    const others = await invite();
    expect((await birch.call("list_invites", {})).invites).toMatchObject([
      { invite_id: own.invite_id, own: true },
    ]);
    const all = (await admin.call("list_invites", {})).invites.map((each) => each.invite_id);
    expect(all.slice(0, 2)).toEqual([others.invite_id, own.invite_id]);
    await expect(birch.call("revoke_invite", { invite_id: others.invite_id })).rejects.toMatchObject({
      code: "not_found",
    });
    await admin.call("revoke_invite", { invite_id: own.invite_id });
    await expect(redeemWith(own.link)).rejects.toMatchObject({ code: "forbidden" });
    await expect(rest.call("list_invites", {})).rejects.toMatchObject({ code: "unauthorized" });
  });

  it("[LIMIT-1] an invite has at most inviteUsesMax uses and inviteSecondsMax seconds", async () => {
    const { inviteUsesMax, inviteSecondsMax } = limits;
    expect(await invite({ uses: inviteUsesMax, expires_in_s: inviteSecondsMax })).toMatchObject({
      uses_left: inviteUsesMax,
    });
    await expect(invite({ uses: inviteUsesMax + 1 })).rejects.toMatchObject({ code: "bad_request" });
    await expect(invite({ expires_in_s: inviteSecondsMax + 1 })).rejects.toMatchObject({
      code: "bad_request",
    });
  });
});

it("[LIMIT-1] invitesListedMax invites are listed, and those that ended endedInviteDays ago are forgotten", async () => {
  const { mesh_id } = admin;
  const { invite_id } = await invite();
  const days = limits.endedInviteDays;
  await sql`INSERT INTO invites (mesh_id, number, secret_hash, role, inviter, created_at, expires_at, uses_max)
    SELECT ${mesh_id}, 1000 + n, sha256(n::text::bytea), 'member', 'Ana', now(), now(), 1
    FROM generate_series(0, ${limits.invitesListedMax}) n`;
  expect((await admin.call("list_invites", {})).invites).toHaveLength(limits.invitesListedMax);
  const database = await openDatabase({ target: broker.databaseUrl });
  cleanup(() => database.close());
  await deleteEndedInvites(database.orm, days);
  await sql`UPDATE invites SET expires_at = now() - make_interval(days => ${days}) WHERE number > 1000`;
  await deleteEndedInvites(database.orm, days);
  const left = (await admin.call("list_invites", {})).invites.map((each) => each.invite_id);
  expect(left.slice(0, 2)).toEqual([1000, invite_id]);
});

it("[INVITE-9] the first admin's invite is made anew at each start until somebody has come by it, or when asked for", async () => {
  const first = await startTestBroker({ auth: "invite" }, cleanup);
  const { databaseUrl } = first;
  const earlier = first.broker.firstInvite ?? "";
  await first.restartAfter(async () => undefined);
  const link = first.broker.firstInvite ?? "";
  expect(link).not.toBe(earlier);
  const wanted = { name: "Ana", memberKey: newKey() };
  await expect(redeem(first.url, { ...wanted, invite: earlier })).rejects.toMatchObject({
    details: { state: "revoked" },
  });
  expect(await redeem(first.url, { ...wanted, invite: link })).toMatchObject({ role: "admin" });
  await first.restart();
  expect(first.broker.firstInvite).toBeNull();
  await first.stop();
  const asked = await startTestBroker(
    { auth: "invite", databaseUrl, newAdminInvite: true },
    cleanup,
    "each node that is asked makes one",
  );
  const again = { name: "Ana", memberKey: newKey(), invite: asked.broker.firstInvite ?? "" };
  expect(await redeem(asked.url, again)).toMatchObject({ role: "admin" });
});

describe("Spoken codes", () => {
  const wrong = (code: string) => code.replace(/.$/, (last) => (last === "0" ? "1" : "0"));

  it("[INVITE-3] a code lets in like its link, in any case and with dashes or without", async () => {
    const made = await invite({ code: true, uses: 2 });
    expect(made.code).toMatch(new RegExp(`^${made.invite_id}-[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$`));
    const code = made.code ?? "";
    const lasts = Date.parse(made.code_expires_at ?? "") - Date.parse(made.created_at);
    expect(lasts).toBe(limits.inviteCodeSeconds * 1_000);
    expect(await redeemWith(code.toLowerCase())).toMatchObject({ mesh: "main" });
    expect(
      await redeemWith(code.replaceAll("-", " ").replaceAll("0", "O").replaceAll("1", "l")),
    ).toMatchObject({
      mesh: "main",
    });
    await expect(redeemWith(code)).rejects.toMatchObject({ code: "forbidden", details: { state: "used" } });
  });

  it("[INVITE-5] after inviteCodeTries wrong tries a code is dead, however many come at once; its link is not", async () => {
    const made = await invite({ code: true });
    const code = made.code ?? "";
    for (let tries = 1; tries < limits.inviteCodeTries; tries += 1)
      await expect(preview(wrong(code))).rejects.toMatchObject({ code: "not_found" });
    expect(await preview(code)).toMatchObject({ state: "open" });
    const [row] = await sql`SELECT code_tries_left FROM invites WHERE number = ${made.invite_id}`;
    expect(row).toEqual({ code_tries_left: 1 });
    await Promise.allSettled(Array.from({ length: 40 }, () => preview(wrong(code))));
    await expect(redeemWith(code)).rejects.toMatchObject({ code: "not_found" });
    expect(await redeemWith(made.link)).toMatchObject({ name: "Birch" });
  });

  it("[INVITE-5] a code is good for inviteCodeSeconds", async () => {
    const made = await invite({ code: true });
    await sql`UPDATE invites SET code_expires_at = now() WHERE number = ${made.invite_id}`;
    await expect(redeemWith(made.code ?? "")).rejects.toMatchObject({ code: "not_found" });
    expect(await preview(made.link)).toMatchObject({ state: "open" });
  });

  it("[INVITE-5] a code is found in whichever mesh it is; a right one costs others of its number no try", async () => {
    const mesh = await admin.call("create_mesh", { name: "codes" });
    const made = await invite({ code: true });
    await sql`INSERT INTO invites SELECT ${mesh.mesh_id}, number, sha256(secret_hash), role, null, null, 'Other', created_at,
      expires_at, uses_max, 0, null, sha256('other'), code_expires_at, 5 FROM invites WHERE number = ${made.invite_id}`;
    expect(await preview(made.code ?? "")).toMatchObject({ mesh_id: admin.mesh_id });
    const tries = () =>
      sql`SELECT code_tries_left AS left FROM invites WHERE number = ${made.invite_id} ORDER BY inviter`;
    expect((await tries()).map((each) => each["left"])).toEqual([5, 5]);
    await expect(preview(wrong(made.code ?? ""))).rejects.toMatchObject({ code: "not_found" });
    expect((await tries()).map((each) => each["left"])).toEqual([4, 4]);
  });
});

it("[AUTH-6] a text that holds the link of an invite, or a token in force, is refused", async () => {
  const { session_id, team_id } = await session("Quotes");
  const post = (text: string) => admin.call("post_message", { session_id, team_id, content: { text } });
  const made = await invite();
  await expect(post(`join by ${made.link}.`)).rejects.toMatchObject({
    code: "bad_request",
    details: { invite_id: made.invite_id },
  });
  const { token, token_id } = await admin.call("issue_token", {});
  await expect(post(`use ${token}`)).rejects.toMatchObject({ code: "bad_request", details: { token_id } });
  await admin.call("revoke_invite", { invite_id: made.invite_id });
  await admin.call("revoke_token", { token_id });
  expect(await post(`${made.link} and ${token} are dead`)).toMatchObject({ cursor: 1 });
});

it("[AUTH-6] a document full of what looks like tokens is refused before each of them is looked up", async () => {
  const { session_id, team_id } = await session("Lookalikes");
  const write = (text: string) => admin.call("append_to_session_doc", { session_id, team_id, text });
  const { token, token_id } = await admin.call("issue_token", {});
  const dead = (count: number) =>
    Array.from({ length: count }, (_, each) => `mkt_${String(each).padStart(43, "A")}`).join("\n");
  const max = limits.quotedSecretsMax;
  // Each `mkt_` begins another token.
  const dense = Array.from({ length: 60_000 }, (_, each) => `mkt_${each.toString(36)}`).join("");
  await expect(write(dense)).rejects.toMatchObject({
    code: "bad_request",
    details: { max },
  });
  await expect(write(dead(max + 1))).rejects.toMatchObject({ code: "bad_request", details: { max } });
  await expect(write(`${dead(max - 1)}\n${token}`)).rejects.toMatchObject({ details: { token_id } });
  expect(await write(dead(max))).toMatchObject({ version: 1 });
});
