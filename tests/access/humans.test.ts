import { chmod, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { limits } from "@merkle/wire/limits";
import { operations } from "@merkle/wire/schemas";
import { beforeAll, describe, expect, it } from "vitest";
import { buildValidInputs } from "../hostile/subject.js";
import { createCleanup } from "../kit/cleanup.js";
import { joinMesh, signInBrowser, startInviteBroker } from "../kit/members.js";
import { makePerson, readHomeKey } from "../kit/persons.js";
import { expectFailure } from "../kit/session.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { connectTestDatabase } from "../kit/test-database.js";
import { brokerTransports, type TransportClient } from "../kit/transports.js";
import { download, importInto } from "../record/bundles.js";

const cleanup = createCleanup();
let broker: TestBroker;
let rest: TransportClient;
let database: ReturnType<typeof connectTestDatabase>;

beforeAll(async () => {
  broker = await startTestBroker({}, cleanup);
  database = connectTestDatabase(broker.databaseUrl, cleanup);
  rest = await brokerTransports.rest(broker.url);
});

const createSession = () => rest.call("create_session", { title: "Attacked", creator_team_name: "Atlas" });
const eventsOf = async (session_id: string) =>
  (await rest.call("get_history", { session_id })).messages.filter(({ type }) => type === "system");

const makeCodesOlder = (seconds: number) =>
  database`UPDATE verification_codes SET expires_at = expires_at - make_interval(secs => ${seconds})`;

describe("an agent that says to be human", () => {
  it("[PERSON-11] is a guest, and decides about nothing: every power is refused to it, over every transport", async () => {
    const { session_id } = await createSession();
    const { person_id: guest, verified } = await rest.call("create_person", { name: "Ana, the owner" });
    expect(verified).toBe(false);
    const inputs: Readonly<Record<string, object>> = buildValidInputs({
      session_id,
      team_id: guest,
      person_id: guest,
    });
    const powers = operations.filter(({ human }) => human === "power").map(({ name }) => name);
    expect(powers.sort()).toEqual([
      "answer_approval",
      "archive_session",
      "collect_garbage",
      "decide_proposal",
      "hold_session",
      "list_approvals",
      "put_persona",
      "resume_session",
      "set_quotas",
      "set_witness_policy",
      "test_connection",
      "unarchive_session",
      "update_settings",
    ]);
    for (const open of Object.values(brokerTransports)) {
      const transport = await open(broker.url);
      for (const name of powers) {
        const refused = await expectFailure(transport.callRaw(name, { ...inputs[name], team_id: guest }));
        expect(refused, `${name} by ${transport.name}`).toMatchObject({ code: "forbidden" });
      }
      await transport.close();
    }
    expect(await expectFailure(rest.call("hold_session", { session_id, team_id: guest }))).toMatchObject({
      details: { needs: "verification" },
      message: expect.stringContaining("merkle open"),
    });
  });

  it("[PERSON-11] [BUDGET-1] [HOLD-2] its words are marked, give agents no budget, and are refused while a session is held", async () => {
    const { session_id, team_id: atlas } = await createSession();
    const { person_id: owner } = await makePerson(rest, "Owner");
    const { person_id: guest } = await rest.call("create_person", { name: "Bo" });
    const say = (team_id: string) =>
      rest.call("post_message", { session_id, team_id, content: { text: "go on" } });
    await rest.call("update_settings", {
      session_id,
      session_settings: { message_budget: 2 },
      team_id: owner,
    });
    await say(atlas);
    await say(guest);
    expect(await expectFailure(say(atlas))).toMatchObject({ code: "budget_spent" });
    expect(await expectFailure(say(guest))).toMatchObject({ code: "budget_spent" });
    await say(owner);
    await say(atlas);
    const { messages } = await rest.call("get_history", { session_id, types: ["chat"] });
    const marks = messages.map(({ from, content }) => [from?.team, from?.human, content["guest"] ?? false]);
    expect(marks).toEqual([
      ["Atlas", false, false],
      ["Bo", false, true],
      ["Owner", true, false],
      ["Atlas", false, false],
    ]);
    const { participants } = await rest.call("list_participants", { session_id });
    expect(participants.map(({ kind }) => kind)).toEqual(["agent", "guest", "human"]);
    await rest.call("hold_session", { session_id, team_id: owner });
    expect(await expectFailure(say(guest))).toMatchObject({ code: "session_held" });
    const compact = await fetch(new URL(`/api/sessions/${session_id}/messages?types=chat`, broker.url));
    expect(compact.ok).toBe(true);
  });

  it("[REDACT-2] removes nobody else's words, and [PERSON-12] takes no verified person's name", async () => {
    const { session_id, team_id } = await createSession();
    const { person_id: guest, name } = await rest.call("create_person", { name: "OWNER" });
    expect(name).not.toBe("OWNER");
    const { cursor: sequence } = await rest.call("post_message", {
      ...{ session_id, team_id },
      content: { text: "mine" },
    });
    const remove = rest.call("redact_message", { session_id, sequence, team_id: guest });
    expect(await expectFailure(remove)).toMatchObject({ code: "forbidden" });
  });
});

describe("what makes somebody human", () => {
  it("[PERSON-10] the key lies in the home for its user alone; a code is good once, for one of many who bring it", async () => {
    const file = await stat(join(broker.home, "home-key"));
    expect(file.mode & 0o777).toBe(0o600);
    const wrong = rest.call("create_verification_code", { home_key: "mkh_guess" });
    expect(await expectFailure(wrong)).toMatchObject({ code: "forbidden" });
    const home_key = await readHomeKey(broker.url);
    const { code, link } = await rest.call("create_verification_code", { home_key });
    expect(link).toBe(`${broker.url}/#verify=${code}`);
    const made = await Promise.all(["Cy", "Di", "Ed"].map((name) => rest.call("create_person", { name })));
    const tried = await Promise.allSettled(
      made.map(({ person_id: team_id }) => rest.call("verify_person", { team_id, code })),
    );
    expect(tried.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const [index, { person_id: team_id }] of made.entries()) {
      const { verified } = await rest.call("get_person", { team_id });
      expect(verified).toBe(tried[index]?.status === "fulfilled");
    }
  });

  it("[PERSON-10] never over MCP, and the link of a start is good for one browser", async () => {
    const mcp = await brokerTransports.mcp(broker.url);
    const home_key = await readHomeKey(broker.url);
    const { code } = await rest.call("create_verification_code", { home_key });
    const { person_id: team_id } = await rest.call("create_person", { name: "Fay" });
    for (const [name, input] of [
      ["create_verification_code", { home_key }],
      ["verify_person", { team_id, code }],
      ["create_person", { name: "Gil", code }],
    ] as const) {
      expect(await expectFailure(mcp.callRaw(name, input)), name).toMatchObject({ code: "forbidden" });
    }
    await mcp.close();
    const started = new URL(broker.broker.verifyingLink ?? "").hash.replace("#verify=", "");
    // Ages every code by the normal lifetime of a code. Even the newest code then expires, but not the code from the
    // broker's start, which is valid for longer.
    await makeCodesOlder(limits.verificationSeconds);
    const expired = rest.call("verify_person", { team_id, code });
    expect(await expectFailure(expired)).toMatchObject({ code: "forbidden" });
    await makeCodesOlder(limits.firstVerificationSeconds - limits.verificationSeconds - 60 * 60);
    expect(await rest.call("verify_person", { team_id, code: started })).toMatchObject({ verified: true });
  });

  it("[PERSON-10] a guest who is verified is human in the sessions that it is in, and what it had said stays a guest's", async () => {
    const { session_id } = await createSession();
    const { person_id: team_id } = await rest.call("create_person", { name: "Hal" });
    const say = () => rest.call("post_message", { session_id, team_id, content: { text: "hello" } });
    await say();
    const { code } = await rest.call("create_verification_code", { home_key: await readHomeKey(broker.url) });
    await rest.call("verify_person", { team_id, code });
    await say();
    const { messages } = await rest.call("get_history", { session_id, types: ["chat"] });
    expect(messages.map(({ from }) => from?.human)).toEqual([false, true]);
  });

  it("[PERSON-11] a member's key has powers, a token that was made for a program has none", async () => {
    const { broker: closed, admin } = await startInviteBroker(cleanup);
    const { link } = await admin.call("create_invite", {});
    const member = await joinMesh(closed.url, { invite: link, name: "Elm" }, cleanup);
    const own = await brokerTransports.rest(closed.url, await signInBrowser(closed.url, member));
    const { session_id } = await own.call("create_session", { title: "S", creator_team_name: "T" });
    const { person_id: team_id } = await own.call("create_person", { name: "Elm" });
    await own.call("hold_session", { session_id, team_id });
    const { token: ofKey } = await member.call("issue_token", {});
    for (const made of [await brokerTransports.rest(closed.url, { token: ofKey }), own]) {
      const { token } = await made.call("issue_token", { label: "an agent's" });
      const program = await brokerTransports.rest(closed.url, { token });
      const { person_id: guest } = await program.call("create_person", { name: "Elm" });
      const resumes = program.call("resume_session", { session_id, team_id: guest });
      expect(await expectFailure(resumes)).toMatchObject({ code: "forbidden", details: { needs: "person" } });
    }
  });
});

it("[SET-6] every changed setting of a session is told, with who and what; agents change none", async () => {
  const { session_id, team_id } = await createSession();
  const { person_id: owner } = await makePerson(rest, "Owner");
  const session_settings = { message_budget: 9, agent_concludes: "concludes" } as const;
  for (const mine of [{}, { team_id }]) {
    const attempt = rest.call("update_settings", { session_id, session_settings, ...mine });
    expect(await expectFailure(attempt)).toMatchObject({ code: "forbidden" });
  }
  expect(await eventsOf(session_id)).toEqual([]);
  await rest.call("update_settings", { session_id, session_settings, team_id: owner });
  await rest.call("update_settings", { session_id, session_settings, team_id: owner });
  await rest.call("resume_session", { session_id, message_budget: 5, team_id: owner });
  expect((await eventsOf(session_id)).filter(({ event }) => event === "settings_changed")).toMatchObject([
    {
      by: "Owner",
      changes: {
        message_budget: { from: 0, to: 9 },
        agent_concludes: { from: "proposes", to: "concludes" },
      },
    },
    { by: "Owner", changes: { message_budget: { from: 9, to: 5 } } },
  ]);
});

it("[NAME-1] [NAME-3] names that deceive are refused with the reason; blanks and spellings are made one", async () => {
  const { session_id } = await createSession();
  const join = (team_name: string) => rest.call("join_session", { session_id, team_name });
  for (const [name, reason] of [
    ["Ana\u202e", "U+202E"],
    ["A\u200bna", "U+200B"],
    ["Aлеx", "mix Latin and Cyrillic"],
    ["Birch (human)", "mark people"],
    ["Birch （ＨＵＭＡＮ）", "mark people"],
    ["a\u0301\u0301\u0301\u0301\u0301", "marks on a letter"],
  ] as const) {
    const problem = expect.stringContaining(reason);
    expect(await expectFailure(join(name)), name).toMatchObject({ code: "bad_request", message: problem });
    expect(await expectFailure(rest.call("create_person", { name })), name).toMatchObject({
      message: problem,
    });
  }
  for (const name of ["Ана", "山田たろう", "O’Brien’s Team", "Σοφία Ana", "שרה", "🦊 Fox"]) {
    expect((await join(name)).team_name).toBe(name);
  }
  expect((await join("Ｂｉｒｃｈ   One")).team_name).toBe("Birch One");
  expect((await join("birch one")).team_name).toBe("birch one (2)");
});

it("[NAME-4] a new name poses as nobody: not as people, models, clients, Merkle or everyone", async () => {
  const { session_id, team_id } = await createSession();
  const posing = [
    ...[
      "System",
      "user",
      "Human",
      "H u m a n",
      "guests",
      "Claude Code",
      "claude-code",
      "merkle",
      "everyone",
      "ＡＬＬ",
    ],
    ...[
      "*",
      "@x",
      "Ana ✓",
      "✅ Ana",
      "Ana [human]",
      "Ana 【Guest】",
      "Ana {verified}",
      "Ana <human>",
      "\u2800",
      "An\u2800a",
    ],
  ];
  for (const name of posing) {
    for (const failed of [
      expectFailure(rest.call("join_session", { session_id, team_name: name })),
      expectFailure(rest.call("join_session", { session_id, team_name: "Elm", peer_name: name })),
      expectFailure(rest.call("join_session", { session_id, team_id, team_name: "Birch", peer_name: name })),
      expectFailure(rest.call("create_session", { title: "Posing", creator_team_name: name })),
      expectFailure(rest.call("create_person", { name })),
    ])
      expect(await failed, name).toMatchObject({
        code: "bad_request",
        message: expect.stringContaining("must not"),
      });
  }
  const honest = [
    "Systems",
    "User Research",
    "Humanity",
    "Claude",
    "all-rounder",
    "Ana (2)",
    "Ana [ops]",
    "a@b",
  ];
  for (const name of honest) {
    expect((await rest.call("join_session", { session_id, team_name: name })).team_name, name).toBe(name);
  }
});

it("[NAME-4] whoever had such a name before keeps it, in the session, in its record and in copies of that", async () => {
  const { session_id } = await createSession();
  const join = (team_name: string, team_id?: string) =>
    rest.call("join_session", { session_id, team_name, ...(team_id !== undefined && { team_id }) });
  const { team_id } = await join("Old");
  await database`UPDATE teams SET name = 'System' WHERE session_id = ${session_id} AND name = 'Old'`;
  expect(await join("System", team_id)).toMatchObject({ team_name: "System", resumed: true });
  await rest.call("post_message", { session_id, team_id, content: { text: "still here" } });
  await rest.call("conclude_session", { session_id, team_id, summary_section: "Done." });
  const bundle = await download(broker.url, session_id);
  const other = await startTestBroker({}, cleanup);
  const copy = Object((await importInto(other.url, bundle)).body).session_id;
  const copies = await brokerTransports.rest(other.url);
  for (const [place, id] of [
    [rest, session_id],
    [copies, copy],
  ] as const) {
    const asked = { session_id: id, include_folded: true };
    const { participants } = await place.call("list_participants", asked);
    expect(participants.map((each) => each.team_name)).toContain("System");
  }
});

it("[SOURCE-15] a broker with files lets members in alone, on loopback too", async () => {
  const agent = { roots: { docs: broker.home } } as never;
  const refused = startTestBroker({ agent, auth: "open" }, cleanup);
  await expect(refused).rejects.toThrow("agent.roots names folders");
  await chmod(broker.home, 0o711);
  expect(await readFile(join(broker.home, "home-key"), "utf8")).toMatch(/^mkh_/);
});
