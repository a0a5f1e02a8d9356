import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { drawSeed, toBase64url } from "@merkle/wire/identity";
import { deriveSigningKey } from "@merkle/wire/keys";
import { expect, it, onTestFinished } from "vitest";
import { saveMember } from "../../apps/cli/src/home/members.js";
import { parseStoredPeer, saveStoredPeer } from "../../apps/cli/src/home/stored-peers.js";
import { joinMesh, startInviteBroker, type TestMember } from "../kit/members.js";
import { makeAgentHome, startStdioServer } from "../kit/stdio.js";

it("[SEALED-6] [SEALED-1] a member's key vouches for those of its places, so that another machine of the member is no change", async () => {
  const { broker, admin } = await startInviteBroker(onTestFinished);
  const { slug: session_id } = await admin.call("create_session", {
    title: "Vouched",
    creator_team_name: "Ana",
  });
  const alex = await newMember("Alex");
  const birch = await newMember("Birch");
  const atlas = await startStdioServer({ url: broker.url, home: await homeOf(alex) });
  const oak = await startStdioServer({ url: broker.url, home: await homeOf(birch) });
  await atlas.call("join_session", { session_id, team_name: "Alex", peer_name: "atlas" });
  await oak.call("join_session", { session_id, team_name: "Birch", peer_name: "oak" });
  expect(await oak.call("send_message", { to: "atlas", message: "to the first", private: true })).toMatch(
    /posted/,
  );
  expect(await atlas.call("wait_for_messages", { timeout: 30 })).toContain("private: to the first");

  const { peers } = await admin.call("list_peers", { session_id });
  const card = peers.find(({ name }) => name === "atlas")?.key_card;
  expect(card?.member?.certificate).toMatchObject({
    member_key: alex.member.memberKey.publicKey,
    mesh_id: alex.member.mesh_id,
  });
  await atlas.stop();

  const elsewhere = await homeOf(alex);
  await takeAlong(alex.homes[0] ?? "", elsewhere);
  const again = await startStdioServer({ url: broker.url, home: elsewhere });
  await again.call("join_session", { session_id, team_name: "Alex", peer_name: "atlas" });
  expect(await oak.call("send_message", { to: "atlas", message: "to the second", private: true })).toMatch(
    /posted/,
  );
  expect(await again.call("wait_for_messages", { timeout: 30 })).toContain("private: to the second");
  expect(await again.call("send_message", { to: "oak", message: "and back", private: true })).toMatch(
    /posted/,
  );
  expect(await oak.call("wait_for_messages", { timeout: 30 })).toContain("private: and back");

  async function newMember(name: string) {
    const seed = drawSeed();
    const { link } = await admin.call("create_invite", {});
    const wanted = { invite: link, name, memberKey: deriveSigningKey(seed) };
    return { seed, member: await joinMesh(broker.url, wanted, onTestFinished), homes: [] as string[] };
  }

  async function homeOf({ seed, member, homes }: { seed: Uint8Array; member: TestMember; homes: string[] }) {
    const home = await makeAgentHome();
    const { broker_id, mesh_id, mesh, member_id, name, role } = member;
    await saveMember(home, {
      ...{ broker_id, mesh_id, mesh, member_id, name, role },
      urls: [broker.url],
      seed: toBase64url(seed),
      joined_at: new Date().toISOString(),
      token: null,
    });
    homes.push(home);
    return home;
  }
});

/** Copies stored peers to another home without their keys, as when a backup contains no keys. */
async function takeAlong(from: string, to: string): Promise<void> {
  const folder = join(from, "teams");
  for (const name of (await readdir(folder)).filter((each) => each.endsWith(".json"))) {
    const place = parseStoredPeer(await readFile(join(folder, name), "utf8"));
    if (place) await saveStoredPeer(to, { ...place, session_key: null });
  }
}

it("[STDIO-16] a server whose token was revoked says so, and not that no session was joined", async () => {
  const { broker, admin } = await startInviteBroker(onTestFinished);
  const { token, token_id } = await admin.call("issue_token", {});
  const server = await startStdioServer({ url: broker.url, env: { MERKLE_TOKEN: token } });
  await server.call("create_session", { title: "Revoked", creator_team_name: "Birch" });
  await admin.call("revoke_token", { token_id });
  for (const [name, input] of [
    ["post_message", { content: { text: "x" } }],
    ["list_sessions", {}],
    ["recall", { query: "x" }],
  ] as const) {
    expect(await server.call(name, input)).toMatch(/^unauthorized: The broker rejects this server/);
  }
});
