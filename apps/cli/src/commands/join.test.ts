import { chmod, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { createCleanup } from "../../../../tests/kit/cleanup.js";
import { startInviteBroker, type TestMember } from "../../../../tests/kit/members.js";
import { startStdioServer } from "../../../../tests/kit/stdio.js";
import type { TestBroker } from "../../../../tests/kit/test-broker.js";
import { connectTestDatabase } from "../../../../tests/kit/test-database.js";
import { type RunOptions, type TestMerkle, testMerkle } from "../test-kit/merkle.js";

let broker: TestBroker;
let admin: TestMember;
/** A machine that has joined as Birch. Shared by all tests that need a member. */
let birch: TestMerkle;
const cleanup = createCleanup();
beforeAll(async () => {
  ({ broker, admin } = await startInviteBroker(cleanup));
  await admin.call("create_session", { title: "Split the auth service", creator_team_name: "Ana's" });
  birch = await testMerkle(cleanup);
  const { link } = await admin.call("create_invite", { session_id: "split-the-auth-service" });
  const joined = await birch.run(["join", "-", "--name", "Birch"], { input: `${link}\n` });
  if (joined.code !== 0) throw new Error(joined.stderr);
});

async function invite(): Promise<string> {
  return (await admin.call("create_invite", { session_id: "split-the-auth-service" })).link;
}

/** Runs a command, requires exit code 0 and parses its JSON output. */
async function runJson(merkle: TestMerkle, args: readonly string[], options?: RunOptions): Promise<unknown> {
  const { code, stdout, stderr } = await merkle.run([...args, "--json"], options);
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}: ${stderr}`);
  return JSON.parse(stdout);
}

describe("merkle join", () => {
  it("[CLI-60] takes an invite from stdin, keeps the key for its owner alone, and shows the secret nowhere", async () => {
    const cedar = await testMerkle();
    const link = await invite();
    const secret = link.split("#")[1] ?? "";
    const { code, stdout, stderr } = await cedar.run(["join", "-", "--name", "Cedar", "--team", "Cedar's"], {
      input: link,
    });
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/joined "Split the auth service" as Cedar/);
    expect(stderr).toMatch(/Ana invites you to "Split the auth service" at http.*1 use left/);
    expect(stderr).toContain('next: merkle launch --session split-the-auth-service --team "Cedar\'s"');
    expect(stdout + stderr).not.toContain(secret);
    const folder = join(cedar.home, "members");
    expect((await stat(folder)).mode & 0o077).toBe(0);
    for (const name of await readdir(folder)) {
      expect((await stat(join(folder, name))).mode & 0o077, name).toBe(0);
      expect(await readFile(join(folder, name), "utf8")).not.toContain(secret);
    }
    // The address was stored, so later commands need not name it. The same key can also use the invite again.
    expect(await runJson(cedar, ["ls"])).toMatchObject({ sessions: [{ slug: "split-the-auth-service" }] });
    expect(await runJson(cedar, ["join", "-"], { input: link })).toMatchObject({
      name: "Cedar",
      role: "member",
    });
  });

  it("[CLI-60] refuses what is no invite with 2, an unknown one with 5, and a used one with 4 and whom to ask", async () => {
    const outsider = await testMerkle();
    const run = (input: string) => outsider.run(["join", "-", "--url", broker.url], { input });
    const [nothing, unknown] = await Promise.all([run("hello"), run(`${broker.url}/join#${"A".repeat(22)}`)]);
    expect(nothing).toMatchObject({ code: 2, stderr: expect.stringContaining("This is not an invite") });
    expect(unknown).toMatchObject({ code: 5, stderr: expect.stringContaining("Invite not found") });
    const made = await admin.call("create_invite", {});
    await admin.call("revoke_invite", { invite_id: made.invite_id });
    expect(await run(made.link)).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(/revoked.*Ask Ana/),
    });
    expect(await outsider.run(["join", "--no-input"])).toMatchObject({ code: 2 });
  });

  it("[CLI-61] a command of who has joined nothing ends with 4 and says what to do; a key that others can read is not used", async () => {
    const outsider = await testMerkle();
    const url = ["--url", broker.url];
    for (const args of [["ls"], ["tail", "split-the-auth-service"]]) {
      const { code, stderr } = await outsider.run([...args, ...url]);
      expect(code, stderr).toBe(4);
      expect(stderr).toContain("merkle join -");
    }
    expect(await runJson(outsider, ["status", ...url])).toMatchObject({ running: true, joined: false });
    const [strange, known] = await Promise.all([outsider.run(["doctor", ...url]), birch.run(["doctor"])]);
    expect(strange.stdout).toMatch(/member +The broker .* admits only members/);
    expect(known.stdout).toMatch(/member +Birch, member\n.*url +agents use .*, which is this broker/);

    await outsider.run(["join", "-", "--name", "Dune"], { input: await invite() });
    await chmod(join(outsider.home, "members"), 0o755);
    const { code, stderr } = await outsider.run(["ls"]);
    expect({ code, stderr }).toMatchObject({ code: 4, stderr: expect.stringContaining("chmod 700") });
  });
});

describe("as a member", () => {
  const session = "split-the-auth-service";

  it("[CLI-61] commands, streams and merkle mcp speak as the member of this home", {
    tags: "long",
  }, async () => {
    expect(await birch.run(["post", session, "hello from Birch"])).toMatchObject({ code: 0 });
    const tail = birch.start(["tail", session, "--since", "0"]);
    await tail.waitForOutput("hello from Birch");
    tail.process.kill("SIGINT");
    expect((await tail.ended).code).toBe(130);
    const server = await startStdioServer({ url: broker.url, home: birch.home });
    expect(await server.call("join_session", { session_id: session, team_name: "Birch's" })).toContain(
      session,
    );
    expect(await server.call("get_history", {})).toContain("hello from Birch");
    await server.stop();
    const { members } = await admin.call("list_members", {});
    expect(members.map((each) => each.name)).toContain("Birch");
  });

  it("[CLI-63] open signs the browser in by a page of the home, and the secret is in no argument and no output", async () => {
    const browser = join(birch.home, "browser");
    await writeFile(browser, `#!/bin/sh\necho "$@" > ${browser}.args\n`, { mode: 0o700 });
    const { code, stdout, stderr } = await birch.run(["open", session], { env: { BROWSER: browser } });
    expect(code, stderr).toBe(0);
    expect(stdout + stderr).not.toContain("mks_");
    const opened = (await readFile(`${browser}.args`, "utf8")).trim();
    expect(opened).not.toContain("mks_");
    expect((await stat(opened)).mode & 0o077).toBe(0);
    const [, secret = ""] =
      /\/sessions\/[a-z0-9-]+#sign-in=(mks_[A-Za-z0-9_-]{43})/.exec(await readFile(opened, "utf8")) ?? [];
    const signIn = () =>
      fetch(`${broker.url}/api/sign-in`, {
        method: "POST",
        headers: { "content-type": "application/json", origin: broker.url },
        body: JSON.stringify({ secret }),
      });
    expect(await (await signIn()).json()).toMatchObject({ you: { kind: "member", name: "Birch" } });
    expect((await signIn()).status).toBe(401);
  });

  it("[CLI-60] a spoken code needs the broker's address, and a link may be the argument", {
    tags: "long",
  }, async () => {
    const [byCode, byLink] = [await testMerkle(), await testMerkle()];
    const { code = "" } = Object(await runJson(birch, ["invite", "--code"]));
    const spoken = code.toLowerCase().replaceAll("-", " ");
    const joined = await byCode.run(["join", spoken, "--url", broker.url, "--name", "Fir"]);
    expect(joined).toMatchObject({ code: 0, stderr: expect.stringContaining("commands now use") });
    // As the output of `merkle join` says, the next command needs no address.
    expect(await byCode.run(["ls"])).toMatchObject({ code: 0 });
    const elsewhere = { env: { MERKLE_URL: "http://localhost:9" } };
    const known = await (await testMerkle()).run(
      ["join", await invite(), "--url", broker.url, "--name", "Gum"],
      elsewhere,
    );
    expect(known).toMatchObject({ code: 0, stderr: expect.not.stringContaining("commands now use") });
    expect(await runJson(byLink, ["join", await invite(), "--name", "Elm"])).toMatchObject({ name: "Elm" });
    const { members } = await admin.call("list_members", {});
    expect(members.map((each) => each.name)).toEqual(expect.arrayContaining(["Fir", "Elm"]));
  });

  it("[CLI-62] makes, lists and revokes invites, to a session or the mesh, with a code when asked", async () => {
    const made = await birch.run(["invite", session, "--uses", "3", "--expires", "2h", "--code"]);
    expect(made.code, made.stderr).toBe(0);
    const [link = "", code = ""] = made.stdout.trim().split("\n");
    expect(link).toMatch(/\/join#[A-Za-z0-9_-]{22}$/);
    expect(code).toMatch(/^\d+-[0-9A-Z]{4}-[0-9A-Z]{4}$/);
    expect(made.stderr).toContain("3 uses, until");
    const number = code.split("-")[0] ?? "";
    const { invites } = Object(await runJson(birch, ["invite", "list"]));
    expect(invites[0]).toMatchObject({
      invite_id: Number(number),
      state: "open",
      uses_left: 3,
      inviter: "Birch",
    });
    expect((await birch.run(["invite", "revoke", number])).stdout).toContain(`invite ${number} is revoked`);
    // The warning comes before the invite, so it also comes where the broker makes none.
    expect(await birch.run(["invite", "--admin"])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("works only on the broker's machine"),
    });
    expect(await birch.run(["invite", "--expires", "soon"])).toMatchObject({ code: 2 });
  });

  it("[CLI-63] tokens let machines in that have joined nothing, observers look on, and both are revoked by number", {
    tags: "long",
  }, async () => {
    const { stdout } = await birch.run(["token", "create", "--label", "CI", "--expires", "1d"]);
    const token = stdout.trim();
    expect(token).toMatch(/^mkt_[A-Za-z0-9_-]{43}$/);
    const ci = await testMerkle();
    const env = { MERKLE_TOKEN: token, MERKLE_URL: broker.url };
    expect(await runJson(ci, ["ls"], { env })).toMatchObject({ sessions: [{ slug: session }] });
    expect((await birch.run(["observe", session, "--expires", "1d"])).stdout).toMatch(
      /\/sessions\/split-the-auth-service#observe=mko_/,
    );
    const { tokens } = Object(await runJson(birch, ["token", "list"]));
    const [observer, made] = tokens;
    expect([observer.kind, made.label]).toEqual(["observer", "CI"]);
    expect(await birch.run(["token", "revoke", String(made.token_id)])).toMatchObject({ code: 0 });
    expect(await ci.run(["ls"], { env })).toMatchObject({ code: 4 });
    const { code, stderr } = await ci.run(["ls"], { env: { ...env, MERKLE_TOKEN: "secret" } });
    expect({ code, shown: stderr.includes('"secret"') }).toEqual({ code: 2, shown: false });
  });

  it("[CLI-64] a mesh that an admin makes is the admin's by the same key, and --mesh or MERKLE_MESH names it", async () => {
    const boss = await testMerkle();
    const { link } = await admin.call("create_invite", { role: "admin" });
    await boss.run(["join", "-", "--name", "Boss"], { input: link });
    expect(await boss.run(["mesh", "create", "billing"])).toMatchObject({ code: 0 });
    expect(await boss.run(["new", "Invoices", "--mesh", "billing"])).toMatchObject({ code: 0 });
    const env = { MERKLE_MESH: "billing" };
    expect(await runJson(boss, ["ls"], { env })).toMatchObject({ sessions: [{ title: "Invoices" }] });
    expect(await runJson(boss, ["mesh", "list"])).toMatchObject({
      meshes: [{ name: "main" }, { name: "billing", role: "admin", sessions: 1, members: 1 }],
    });
    expect(await boss.run(["ls", "--mesh", "nowhere"])).toMatchObject({ code: 5 });
    expect(await birch.run(["mesh", "create", "mine"])).toMatchObject({ code: 4 });
    expect(await boss.run(["member", "revoke", "Nobody"])).toMatchObject({ code: 5 });
    expect((await boss.run(["members"])).stdout).toMatch(/Boss \(you\) +admin/);
  });

  it("[CLI-62] member revoke ends what the member's machine could do", async () => {
    const gone = await testMerkle();
    await gone.run(["join", "-", "--name", "Gone"], { input: await invite() });
    expect(await gone.run(["ls"])).toMatchObject({ code: 0 });
    const { members } = await admin.call("list_members", {});
    const { member_id = "" } = members.find((each) => each.name === "Gone") ?? {};
    await admin.call("revoke_member", { member_id });
    expect(await gone.run(["ls"])).toMatchObject({ code: 4 });
  });
});

it("[CLI-97] merkle members says who invited whom; revoking says who stays, and --with-invited ends them", async () => {
  const ana = await testMerkle();
  const { link } = await admin.call("create_invite", { role: "admin" });
  await runJson(ana, ["join", "-", "--name", "Ana's laptop"], { input: link });
  const join = async (name: string, by: TestMerkle) => {
    const merkle = await testMerkle();
    const { link } = Object(await runJson(by, ["invite"]));
    await runJson(merkle, ["join", "-", "--name", name], { input: link });
    return merkle;
  };
  const oak = await join("Oak", ana);
  await join("Elm", oak);
  const listed = await ana.run(["members"]);
  expect(listed.stdout).toMatch(/Elm .*invited by Oak /);
  const revoked = await ana.run(["member", "revoke", "Oak"]);
  expect(revoked).toMatchObject({ code: 0, stderr: expect.stringMatching(/Elm, invited by Oak, stay/) });
  expect((await ana.run(["members"])).stdout).toMatch(/Elm .*invited by Oak \(revoked\)/);
  const { members } = Object(await runJson(ana, ["members"]));
  const id = members.find(({ name }: { name: string }) => name === "Oak").member_id;
  const both = await ana.run(["member", "revoke", id, "--with-invited"]);
  expect(both).toMatchObject({ code: 0, stdout: expect.stringContaining("Elm is no longer a member") });
  // Admins are notified about members whose inviter is unknown.
  const sql = connectTestDatabase(broker.databaseUrl);
  await sql`UPDATE members SET vouched_by = NULL WHERE name = 'Birch'`;
  expect((await ana.run(["members"])).stderr).toContain("It is not recorded who invited Birch");
});

it("[CLI-97] an agent's shell lets nobody in, although the member's key is at hand", async () => {
  for (const args of [
    ["invite"],
    ["token", "create"],
    ["observe", "split-the-auth-service"],
    ["mesh", "create", "x"],
  ]) {
    const refused = await birch.run(args, { env: { CLAUDECODE: "1" } });
    expect(refused, args.join(" ")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Only a person can invite others"),
    });
  }
});
