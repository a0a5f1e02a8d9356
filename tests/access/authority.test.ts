import { operations } from "@merkle/wire/schemas";
import { beforeAll, describe, expect, it } from "vitest";
import { buildValidInputs } from "../hostile/subject.js";
import { createCleanup } from "../kit/cleanup.js";
import {
  joinMesh,
  openAsMember,
  signInBrowser,
  signInWith,
  startInviteBroker,
  type TestMember,
} from "../kit/members.js";
import { redeemCode, startOAuthClient } from "../kit/oauth-client.js";
import { expectFailure } from "../kit/session.js";
import { startStdioServer } from "../kit/stdio.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { connectTestDatabase } from "../kit/test-database.js";
import { brokerTransports, type Entry, openWebSocket, type TransportClient } from "../kit/transports.js";

const cleanup = createCleanup();
let broker: TestBroker;
let ana: TestMember;
/** The CLI's client on Ana's machine. It uses a token that was created with her key. */
let cli: TransportClient;
let sql: ReturnType<typeof connectTestDatabase>;
let session_id: string;
let team_id: string;

beforeAll(async () => {
  ({ broker, admin: ana } = await startInviteBroker(cleanup));
  sql = connectTestDatabase(broker.databaseUrl, cleanup);
  cli = await rest({ token: (await ana.call("issue_token", {})).token });
  ({ session_id, team_id } = await ana.call("create_session", { title: "S", creator_team_name: "T" }));
});

async function join(name: string, by = ana, role: "admin" | "member" = "member"): Promise<TestMember> {
  const { link } = await by.call("create_invite", { role });
  return joinMesh(broker.url, { invite: link, name }, cleanup);
}

const rest = (entry: Entry) => brokerTransports.rest(broker.url, entry);
const membersOf = async (by = ana) => (await by.call("list_members", {})).members;
const memberNamed = async (name: string) => (await membersOf()).find((each) => each.name === name);

async function propose(): Promise<{ proposal_id: number; base: number }> {
  const content = "# Plan\n\none\n";
  const { version: expected_version } = await ana.call("read_session_doc", { session_id, team_id });
  const { version } = await ana.call("update_session_doc", {
    session_id,
    team_id,
    content,
    expected_version,
  });
  const { topic_id } = await ana.call("open_topic", { session_id, team_id, version, text: "Shorter." });
  const proposal = { team_id, topic_id, base_version: version, content: `${content}two\n`, note: "More." };
  return { proposal_id: (await ana.call("insert_proposal", proposal)).proposal_id, base: version };
}

/**
 * Marks a token or invite as created with a program's token, as the migration does for tokens and invites from earlier
 * versions.
 */
async function markAsMadeBy(program: number, made: { token: number } | { invite: number }): Promise<void> {
  if ("token" in made)
    await sql`UPDATE tokens SET parent = ${program}, program = ${program} WHERE number = ${made.token}`;
  else await sql`UPDATE invites SET parent = ${program}, program = ${program} WHERE number = ${made.invite}`;
}

/** Creates a member who was invited with a program's token. Earlier versions of the broker allowed this. */
async function createMemberInvitedBy(program: number, name: string, role: "admin" | "member" = "member") {
  const { link, invite_id } = await ana.call("create_invite", { role });
  await markAsMadeBy(program, { invite: invite_id });
  return joinMesh(broker.url, { invite: link, name }, cleanup);
}

/**
 * Operations that admit clients or people. They are listed by name, so the test fails if an operation loses its mark in
 * the catalogue.
 */
const vouching = [
  "approve_client",
  "create_invite",
  "create_mesh",
  "create_observer_link",
  "issue_token",
  "preview_client",
];

describe("a token for programs", () => {
  it("[PERSON-11] [TOKEN-9] lets nobody in: no token, link, invite, mesh or client, over any transport, not even an admin's", async () => {
    const listed = operations.filter(({ human }) => human === "vouching").map(({ name }) => name);
    expect(listed.toSorted()).toEqual(vouching);
    const browser = await rest(await signInBrowser(broker.url, ana));
    const { request } = await startOAuthClient(`${localhost()}/api/mcp`, "https://client.example.com/");
    const inputs: Readonly<Record<string, object>> = {
      ...buildValidInputs({ session_id, team_id, person_id: team_id }),
      create_invite: { role: "admin" },
      issue_token: { kind: "sign_in" },
      preview_client: request,
      approve_client: { session_id, team_name: "Helper", ...request },
      create_observer_link: { session_id },
    };
    const before = await ana.call("list_tokens", {});
    for (const made of [cli, browser]) {
      const { token } = await made.call("issue_token", { label: "CI" });
      for (const open of Object.values(brokerTransports)) {
        const program = await open(broker.url, { token });
        for (const name of vouching)
          expect(
            await expectFailure(program.callRaw(name, inputs[name])),
            `${name} over ${program.name}`,
          ).toMatchObject({ code: "forbidden" });
        expect(await program.call("get_session", { session_id })).toMatchObject({ session_id });
        await program.close();
      }
    }
    expect((await ana.call("list_tokens", {})).tokens).toHaveLength(before.tokens.length + 2);
  });

  it("[PERSON-11] [TOKEN-9] stays what it is in a browser that it signed in: no proposal is accepted by create_person", async () => {
    const { token, token_id } = await cli.call("issue_token", {});
    const program = await rest({ token });
    const { proposal_id, base } = await propose();
    const decide = async (client: TransportClient) => {
      const { person_id, verified } = await client.call("create_person", { name: "Ana" });
      const decision = { proposal_id, base, decision: "accept" as const, team_id: person_id };
      return { verified, refusal: await expectFailure(client.callRaw("decide_proposal", decision)) };
    };
    const refused = { verified: false, refusal: { code: "forbidden", details: { needs: "person" } } };
    expect(await decide(program)).toMatchObject(refused);
    expect(await expectFailure(program.call("issue_token", { kind: "sign_in" }))).toMatchObject({
      code: "forbidden",
    });
    // A sign-in link from a program, created before brokers refused this.
    const link = await ana.call("issue_token", { kind: "sign_in" });
    await markAsMadeBy(token_id, { token: link.token_id });
    const browser = await signInWith(broker.url, link.token);
    expect(await decide(await rest(browser))).toMatchObject(refused);
    const socket = await openWebSocket(broker.url, browser);
    expect(await decide(socket)).toMatchObject(refused);
    await socket.close();
    expect(await ana.call("get_proposal", { proposal_id })).toMatchObject({ status: "open" });
    // Ana herself can decide on the same proposal, in her own browser.
    const own = await rest(await signInBrowser(broker.url, ana));
    const { person_id } = await own.call("create_person", { name: "Ana" });
    expect(
      await own.call("decide_proposal", { proposal_id, base, decision: "accept", team_id: person_id }),
    ).toMatchObject({ status: "accepted" });
  });

  it("[PERSON-11] says nothing as a human: its person is a guest, and its member's own is 401 from it", async () => {
    const { token } = await cli.call("issue_token", {});
    const program = await rest({ token });
    const say = (client: Pick<TransportClient, "call">, as: string) =>
      client.call("post_message", { session_id, team_id: as, content: { text: "go on" } });
    const own = await ana.call("create_person", { name: "Ana" });
    const guest = await program.call("create_person", { name: "Ana" });
    expect(guest).toMatchObject({ verified: false, name: "Ana (2)" });
    await say(ana, own.person_id);
    await say(program, guest.person_id);
    expect(await expectFailure(say(program, own.person_id))).toMatchObject({
      code: "unauthorized",
      message: expect.stringContaining(
        "A token for programs cannot be used together with a verified person's credential",
      ),
    });
    const drawn = await rest({ token, headers: { "x-new-person": "name=Ana" } });
    expect(await expectFailure(say(drawn, own.person_id))).toMatchObject({ code: "unauthorized" });
    const { messages } = await ana.call("get_history", { session_id, types: ["chat"] });
    expect(messages.slice(-2).map(({ from, content }) => [from?.human, content["guest"] ?? false])).toEqual([
      [true, false],
      [false, true],
    ]);
    // Programs keep their normal abilities: they can create a team, read and post.
    const team = await program.call("join_session", { session_id, team_name: "CI" });
    expect(await say(program, team.team_id)).toBeTruthy();
  });

  it("[TOKEN-9] what it let in is a program's and ends with it: members, theirs, and their connections", async () => {
    const { token_id } = await cli.call("issue_token", { label: "leaked" });
    const mallory = await createMemberInvitedBy(token_id, "Mallory", "admin");
    expect(await expectFailure(mallory.call("create_invite", {}))).toMatchObject({ code: "forbidden" });
    expect(await expectFailure(mallory.call("issue_token", {}))).toMatchObject({ code: "forbidden" });
    expect(await memberNamed("Mallory")).toMatchObject({
      vouching: "program",
      invited_by: { name: "Ana", revoked: false },
    });
    // On an earlier broker, Mallory created a token and used it to invite another member.
    const { token_id: hers } = await cli.call("issue_token", {});
    await sql`UPDATE tokens SET member_id = ${mallory.member_id}, created_by = ${mallory.member_id} WHERE number = ${hers}`;
    const trent = await createMemberInvitedBy(hers, "Trent");
    const plain = await join("Plain");
    const { team_id: his } = await trent.call("join_session", { session_id, team_name: "Trent" });
    const waiting = expectFailure(trent.call("wait_for_messages", { session_id, team_id: his, timeout: 30 }));
    await expect.poll(async () => (await ana.call("get_health", {})).parked_waits).toBeGreaterThan(0);
    await ana.call("revoke_token", { token_id });
    expect(await waiting).toMatchObject({ code: "unauthorized" });
    for (const gone of [mallory, trent])
      expect(await expectFailure(reopen(gone).call("list_members", {}))).toMatchObject({
        code: "unauthorized",
      });
    expect(await memberNamed("Trent")).toMatchObject({ revoked: { by: "Ana" } });
    expect(await plain.call("list_sessions", {})).toBeTruthy();
  });

  it("[TOKEN-9] whom it let in is out when it expires, too", async () => {
    const { token_id } = await cli.call("issue_token", {});
    const mallory = await createMemberInvitedBy(token_id, "Brief");
    expect(await mallory.call("list_sessions", {})).toBeTruthy();
    await sql`UPDATE tokens SET expires_at = now() WHERE number = ${token_id}`;
    expect(await expectFailure(reopen(mallory).call("list_sessions", {}))).toMatchObject({
      code: "unauthorized",
    });
    await (await rest(await signInBrowser(broker.url, ana))).call("collect_garbage", {});
    expect(await memberNamed("Brief")).toMatchObject({ revoked: { by: `the end of token ${token_id}` } });
  });

  it("[TOKEN-9] [INVITE-7] a person's invite vouches for whom a program let in, and its end is no longer theirs", async () => {
    const { token_id } = await cli.call("issue_token", {});
    const kept = await createMemberInvitedBy(token_id, "Kept");
    const { link } = await ana.call("create_invite", {});
    const again = await joinMesh(broker.url, { invite: link, ...kept }, cleanup);
    expect(again.member_id).toBe(kept.member_id);
    expect(await memberNamed("Kept")).toMatchObject({ vouching: "person", invited_by: { name: "Ana" } });
    await ana.call("revoke_token", { token_id });
    expect(await again.call("create_invite", {})).toBeTruthy();
  });

  it("[TOKEN-9] is not revoked where no admin would be left", async () => {
    const { broker: other, admin } = await startInviteBroker(cleanup);
    const otherSql = connectTestDatabase(other.databaseUrl, cleanup);
    const { token_id } = await admin.call("issue_token", {});
    await otherSql`UPDATE members SET program = ${token_id}`;
    const refused = openAsMember(other.url, admin, cleanup).call("revoke_token", { token_id });
    expect(await expectFailure(refused)).toMatchObject({ code: "conflict" });
    expect((await admin.call("list_members", {})).members).toMatchObject([{ revoked: null }]);
  });
});

const localhost = () => broker.url.replace("127.0.0.1", "localhost");
const reopen = (member: TestMember) => openAsMember(broker.url, member, cleanup);

describe("what a person vouches for", () => {
  it("[TOKEN-4] ends with the browser that it was obtained in: browsers, tickets, grants, tokens and links; members stay", async () => {
    const birch = await join("Birch");
    const entry = await signInBrowser(broker.url, birch);
    const browser = await rest(entry);
    const bearer = await browser.call("issue_token", {});
    const second = await signInBrowser(broker.url, browser);
    const { link } = await browser.call("create_observer_link", { session_id });
    const observer = await signInWith(broker.url, new URL(link).hash.replace("#observe=", ""));
    const client = await startOAuthClient(`${localhost()}/api/mcp`, "https://client.example.com/");
    const asked = { session_id, team_name: "Helper", ...client.request };
    const approved = await browser.call("approve_client", asked);
    const { access_token } = await redeemCode(client, approved.redirect_to);
    const ticket = await Object(await entry.proof?.());
    const invited = await joinMesh(
      broker.url,
      { invite: (await browser.call("create_invite", {})).link, name: "Invited" },
      cleanup,
    );
    const socket = await openWebSocket(broker.url, second);
    const asks = (entry: Entry, open = brokerTransports.rest) =>
      open(broker.url, entry).then((client) => client.call("get_session", { session_id }));
    const all = () =>
      Promise.all(
        [
          asks(entry),
          asks({ token: bearer.token }),
          asks(second),
          asks(observer),
          asks({ token: access_token }, brokerTransports.mcp),
        ].map((asked) =>
          asked.then(
            () => "in",
            ({ code }) => code,
          ),
        ),
      );
    expect(await all()).toEqual(Array(5).fill("in"));

    // Rotating a team's credential invalidates only that credential.
    const team = await birch.call("join_session", { session_id, team_name: "Helper" });
    await birch.call("rotate_team_credential", { session_id, team_id: team.team_id });
    expect(await all()).toEqual(Array(5).fill("in"));

    const { tokens } = await birch.call("list_tokens", {});
    const [own] = tokens.filter(({ kind }) => kind === "browser").slice(-1);
    await birch.call("revoke_token", { token_id: own?.token_id ?? 0 });
    expect(await all()).toEqual(Array(5).fill("unauthorized"));
    expect(await expectFailure(openWebSocket(broker.url, { proof: async () => ticket }))).toMatchObject({
      code: "unauthorized",
    });
    await expect.poll(() => socket.ask({ type: "ping" }).then(() => "open", String)).toContain("4401");
    expect(await invited.call("list_sessions", {})).toBeTruthy();
    expect(await memberNamed("Invited")).toMatchObject({ revoked: null, invited_by: { name: "Birch" } });
  });

  it("[MEMBER-5] members whom a revoked one invited stay, marked; or end with it, but never the one who asks", async () => {
    const oak = await join("Oak", ana, "admin");
    const fir = await join("Fir", oak, "admin");
    const elm = await join("Elm", fir);
    const yew = await join("Yew", oak);
    const ash = await join("Ash", yew);
    expect(await fir.call("revoke_member", { member_id: yew.member_id })).toMatchObject({ also: [] });
    expect(await memberNamed("Ash")).toMatchObject({
      vouching: "person",
      invited_by: { member_id: yew.member_id, name: "Yew", revoked: true },
      revoked: null,
    });
    expect(await ash.call("list_sessions", {})).toBeTruthy();
    // Fir revokes Oak, who invited Fir. Fir remains a member, and so does Elm, whom Fir invited.
    const ended = await fir.call("revoke_member", { member_id: oak.member_id, with_invited: true });
    expect(ended).toMatchObject({ name: "Oak", also: [{ name: "Ash" }] });
    expect(await expectFailure(reopen(ash).call("list_members", {}))).toMatchObject({ code: "unauthorized" });
    expect(await elm.call("list_sessions", {})).toBeTruthy();
    expect(await memberNamed("Fir")).toMatchObject({ invited_by: { name: "Oak", revoked: true } });
    expect(await memberNamed("Ana")).toMatchObject({ vouching: "broker", invited_by: null });
  });
});

describe("over MCP", () => {
  it("[PERSON-11] what lets others in is refused to models when it is called by name, in both modes and over stdio", async () => {
    const open = await startTestBroker({}, cleanup);
    const own = await signInBrowser(broker.url, ana);
    const inputs: Readonly<Record<string, object>> = {
      ...buildValidInputs({ session_id, team_id, person_id: team_id }),
      issue_token: { kind: "sign_in" },
      create_observer_link: { session_id },
    };
    for (const [url, entry] of [
      [open.url, {}],
      [broker.url, own],
    ] as const) {
      const model = await brokerTransports.mcp(url, entry);
      for (const name of vouching.filter((each) => !/client/.test(each))) {
        const refused = await expectFailure(model.callRaw(name, inputs[name]));
        const ofSession = url === open.url && name === "create_observer_link";
        if (ofSession) expect(refused.code).toBe("not_found");
        else
          expect(refused, name).toMatchObject({
            code: "forbidden",
            message: expect.stringContaining("Only a human can do this"),
          });
      }
    }
    const stdio = await startStdioServer({ url: open.url, args: ["--view", "json", "--tools", "admin"] });
    for (const name of vouching) {
      const { result } = await stdio.request("tools/call", { name, arguments: inputs[name] ?? {} });
      expect(result?.content?.[0]?.text, name).toContain("Only a human can do this");
    }
    await stdio.stop();
    // In open mode a person can still create a mesh.
    const person = await brokerTransports.rest(open.url);
    expect(await person.call("create_mesh", { name: "second" })).toMatchObject({ name: "second" });
  });
});
