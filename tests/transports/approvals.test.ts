import { hash, randomBytes } from "node:crypto";
import type { Approval, InputOf } from "@merkle/wire";
import { hashApproval, toDeviceId } from "@merkle/wire/identity";
import { limits } from "@merkle/wire/limits";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createCleanup } from "../kit/cleanup.js";
import { joinMesh, signInBrowser, startInviteBroker } from "../kit/members.js";
import { makePerson } from "../kit/persons.js";
import { createTestSession, expectFailure } from "../kit/session.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { connectTestDatabase } from "../kit/test-database.js";
import { brokerTransports, type TransportClient } from "../kit/transports.js";

let broker: TestBroker;
let rest: TransportClient;
let sql: ReturnType<typeof connectTestDatabase>;

const cleanup = createCleanup();
beforeAll(async () => {
  broker = await startTestBroker({}, cleanup);
  rest = await brokerTransports.rest(broker.url);
  sql = connectTestDatabase(broker.databaseUrl, cleanup);
});

const sha256 = (bytes: Uint8Array) => hash("sha256", bytes, "buffer");
const toDevice = (credential: string) => toDeviceId(credential, sha256) ?? "";
const hashOf = (approval: Approval) => hashApproval(approval, sha256);
const drawSalt = () => randomBytes(32).toString("hex");
const command = JSON.stringify({ command: "rm -rf build", description: "clean up" });

/** Sets up an agent that asks for approvals, and a person who answers them on a phone. */
async function startRelay(at = rest) {
  const { sessionId: session_id, convener: team_id } = await createTestSession(at);
  const { person_id: phone } = await makePerson(at, "Ana");
  const agent = { session_id, team_id };
  const ask = (more: Partial<InputOf<"ask_approval">> = {}) =>
    at.call("ask_approval", {
      ...{ ...agent, devices: [toDevice(phone)], tool: "Bash", input: command },
      ...{ folder: "/work", salt: drawSalt(), ...more },
    });
  const list = async (as = phone) => (await at.call("list_approvals", { team_id: as })).waiting;
  const shown = async () => (await list())[0] as Approval;
  const answer = (approval: Approval, decision: "allow" | "deny" | "leave", more: object = {}) =>
    at.call("answer_approval", {
      ...{ approval: approval.approval, decision, hash: hashOf(approval), team_id: phone, ...more },
    });
  const wait = (approval: number, timeout = 30) =>
    at.call("wait_for_approval", { ...agent, approval, timeout });
  const events = async () => {
    const { messages } = await at.call("get_history", { session_id, limit: 500 });
    return messages.filter(({ event }) => event === "approval_ended");
  };
  return { session_id, agent, phone, ask, list, shown, answer, wait, events };
}

describe.each(["rest", "websocket"] as const)("a permission, by %s", (name) => {
  it("[APPROVE-1] [APPROVE-4] [APPROVE-7] is shown whole to the agent's person, allowed once, and signed into the feed without its words", async () => {
    const at = await brokerTransports[name](broker.url);
    onTestFinished(() => at.close());
    const relay = await startRelay(at);
    const { approval, person } = await relay.ask();
    expect(person).toBe("Ana");
    const waiting = relay.wait(approval);
    const shown = await relay.shown();
    expect(shown).toMatchObject({
      approval,
      asked_by: "Atlas",
      tool: "Bash",
      input: command,
      folder: "/work",
    });
    expect(shown.hash).toBe(hashOf(shown));
    await relay.answer(shown, "allow");
    expect(await waiting).toEqual({
      state: "allowed",
      words: null,
      answers: null,
      own: null,
      hash: shown.hash,
    });
    // A client that lost the reply gets the same answer when it asks again.
    expect(await relay.wait(approval)).toMatchObject({ state: "allowed" });
    const events = await relay.events();
    expect(events.map(({ content }) => content)).toMatchObject([
      { approval, of: "Atlas", tool: "Bash", hash: shown.hash, decision: "allowed", by: "Ana" },
    ]);
    expect(JSON.stringify(events)).not.toContain("rm -rf");
    const { ended } = await at.call("list_approvals", { team_id: relay.phone });
    expect(ended).toMatchObject([{ approval, state: "allowed", input: command }]);
  });
});

const states = ["waiting", "allowed", "denied", "left", "withdrawn", "lapsed"] as const;

describe.each(states)("an approval that is %s", (state) => {
  it.each(states)(
    "[APPROVE-5] [APPROVE-6] is only changed while it waits, by what makes it %s",
    async (next) => {
      const relay = await startRelay();
      const { approval } = await relay.ask();
      const shown = await relay.shown();
      const events = {
        waiting: () => relay.wait(approval, 0),
        allowed: () => relay.answer(shown, "allow"),
        denied: () => relay.answer(shown, "deny"),
        left: () => relay.answer(shown, "leave"),
        withdrawn: () => rest.call("withdraw_approval", { ...relay.agent, approval }),
        lapsed: () =>
          sql`UPDATE approvals SET expires_at = now() - interval '1 second' WHERE number = ${approval}`,
      };
      await events[state]();
      await Promise.allSettled([events[next]()]);
      const expected = state === "waiting" ? next : state;
      expect(await relay.wait(approval, 0)).toMatchObject({ state: expected });
      const isAnnounced = expected !== "waiting" && expected !== "lapsed";
      expect(await relay.events()).toMatchObject(isAnnounced ? [{ content: { decision: expected } }] : []);
    },
  );
});

describe("an answer", () => {
  it("[APPROVE-5] is the first one, whoever else answers: person, another tab, or the terminal", async () => {
    const relay = await startRelay();
    const { approval } = await relay.ask();
    const shown = await relay.shown();
    const tried = await Promise.allSettled([
      relay.answer(shown, "allow"),
      relay.answer(shown, "deny", { words: "no" }),
      relay.answer(shown, "leave"),
      rest.call("withdraw_approval", { ...relay.agent, approval }),
    ]);
    const { state } = await relay.wait(approval);
    const done = tried.flatMap((each) => (each.status === "fulfilled" ? [each.value.state] : []));
    // Withdrawing an approval request always succeeds and returns its current state.
    expect(new Set(done)).toEqual(new Set([state]));
    expect(await relay.events()).toMatchObject([{ content: { decision: state } }]);
    const late = await expectFailure(relay.answer(shown, "allow"));
    expect(late).toMatchObject({ code: "conflict", details: { state } });
  });

  it("[APPROVE-5] denies with words for the agent alone, or leaves it to the terminal", async () => {
    const relay = await startRelay();
    const first = await relay.ask();
    await relay.answer(await relay.shown(), "deny", { words: "not on the live one" });
    expect(await relay.wait(first.approval)).toMatchObject({ state: "denied", words: "not on the live one" });
    const second = await relay.ask();
    await relay.answer(await relay.shown(), "leave");
    expect(await relay.wait(second.approval)).toMatchObject({ state: "left" });
    expect(JSON.stringify(await relay.events())).not.toContain("live one");
  });

  it("[APPROVE-6] by nobody allows nothing: the ask lapses with who waits for it, and a late answer is refused", async () => {
    const relay = await startRelay();
    const { approval } = await relay.ask();
    const shown = await relay.shown();
    expect(await relay.wait(approval, 0)).toMatchObject({ state: "waiting" });
    const renewed = (await relay.shown()).expires_at;
    expect(Date.parse(renewed) - Date.parse(shown.asked_at)).toBeGreaterThanOrEqual(
      limits.approvalLeaseSeconds * 1_000 - 1_000,
    );
    await sql`UPDATE approvals SET expires_at = now() - interval '1 second' WHERE number = ${approval}`;
    expect(await relay.list()).toEqual([]);
    expect(await expectFailure(relay.answer(shown, "allow"))).toMatchObject({ details: { state: "lapsed" } });
    expect(await relay.wait(approval)).toMatchObject({ state: "lapsed" });
    expect(await relay.events()).toEqual([]);
  });

  it("[APPROVE-8] waits in what needs its person, and in nobody else's", async () => {
    const relay = await startRelay();
    const { approval } = await relay.ask();
    const kinds = async (team_id?: string) => {
      const { items } = await rest.call("list_attention", {
        session: relay.session_id,
        ...(team_id === undefined ? {} : { team_id }),
      });
      return items.map(({ kind, number, text }) => [kind, number, text]);
    };
    expect(await kinds(relay.phone)).toContainEqual(["approval", approval, "Bash"]);
    const { person_id: other } = await makePerson(rest, "Bo");
    for (const who of [other, relay.agent.team_id, undefined])
      expect((await kinds(who)).map(([kind]) => kind)).not.toContain("approval");
    await relay.answer(await relay.shown(), "deny");
    expect((await kinds(relay.phone)).map(([kind]) => kind)).not.toContain("approval");
  });
});

describe("a command that is allowed again", () => {
  const input = JSON.stringify({ command: "npm test", description: "check" });
  const launch = drawSalt();

  it("[APPROVE-15] [APPROVE-17] [APPROVE-18] is allowed at once in the same launch and folder, with an event each, until it is revoked", async () => {
    const relay = await startRelay();
    const first = await relay.ask({ input, launch });
    const shown = await relay.shown();
    expect(shown).toMatchObject({ repeatable: true, again: false, allowed_by: null });
    await relay.answer(shown, "allow", { again: true });
    const listAgain = async () => (await rest.call("list_approvals", { team_id: relay.phone })).again;
    expect(await listAgain()).toMatchObject([{ approval: first.approval, input, again: true }]);

    const reworded = JSON.stringify({ command: "npm test", description: "once more", timeout: 1_000 });
    const second = await relay.ask({ input: reworded, launch });
    const answer = await relay.wait(second.approval, 0);
    expect(answer).toMatchObject({ state: "allowed", hash: second.hash });
    expect(second.hash).not.toBe(first.hash);
    expect(await relay.list()).toEqual([]);
    const { ended } = await rest.call("list_approvals", { team_id: relay.phone });
    expect(ended[0]).toMatchObject({ approval: second.approval, allowed_by: first.approval, again: false });
    const of = first.approval;
    expect((await relay.events()).map(({ content }) => content)).toMatchObject([
      { approval: of, decision: "allowed", by: "Ana", again: of },
      { approval: second.approval, decision: "allowed", by: "Ana", again: of },
    ]);

    const others = [
      { input, launch: drawSalt() },
      { input },
      { input, launch, folder: "/elsewhere" },
      { input, launch, tool: "Shell" },
      { input: JSON.stringify({ command: "npm test " }), launch },
    ];
    for (const other of others) {
      const { approval } = await relay.ask(other);
      expect(await relay.wait(approval, 0)).toMatchObject({ state: "waiting" });
    }
    for (const each of await relay.list()) await relay.answer(each, "deny");

    const [granted] = (await listAgain()) as [Approval];
    const revoke = () =>
      rest.call("answer_approval", {
        ...{ approval: of, decision: "revoke", hash: hashOf(granted), team_id: relay.phone },
      });
    await revoke();
    expect(await listAgain()).toEqual([]);
    const third = await relay.ask({ input, launch });
    expect(await relay.wait(third.approval, 0)).toMatchObject({ state: "waiting" });
    expect(await expectFailure(revoke())).toMatchObject({ code: "conflict" });
    const { messages } = await rest.call("get_history", { session_id: relay.session_id, limit: 500 });
    expect(messages.filter(({ event }) => event === "approval_revoked")).toMatchObject([
      { content: { approval: of, by: "Ana" } },
    ]);
  });

  it("[APPROVE-17] is no other peer's, and is asked again after a day", async () => {
    const relay = await startRelay();
    await relay.ask({ input, launch });
    const shown = await relay.shown();
    await relay.answer(shown, "allow", { again: true });
    const { team_id: mate } = await rest.call("join_session", {
      session_id: relay.session_id,
      team_name: "Birch",
    });
    const asked = await relay.ask({ input, launch, team_id: mate ?? "" });
    expect(await relay.list()).toMatchObject([{ approval: asked.approval }]);
    await relay.answer(await relay.shown(), "deny");
    await sql`UPDATE approvals SET ended_at = now() - make_interval(hours => ${limits.approvalAgainHours})
      WHERE number = ${shown.approval}`;
    await relay.ask({ input, launch });
    expect(await relay.list()).toMatchObject([{ state: "waiting" }]);
    const { again } = await rest.call("list_approvals", { team_id: relay.phone });
    expect(again).toEqual([]);
  });

  it("[APPROVE-16] [APPROVE-17] is neither offered nor accepted for what removes, reaches the network, touches production or is no command", async () => {
    const relay = await startRelay();
    const inputs = [{ command: "rm -rf build" }, { command: "curl a.example" }, { command: "make prod" }];
    for (const each of [...inputs, { command: "npm test", cwd: "/" }, { file_path: "/a", content: "" }]) {
      await relay.ask({ input: JSON.stringify(each), launch });
      const shown = await relay.shown();
      expect(shown.repeatable).toBe(false);
      const refused = await expectFailure(relay.answer(shown, "allow", { again: true }));
      expect(refused).toMatchObject({ code: "bad_request" });
      await relay.answer(shown, "leave");
    }
  });
});

describe("somebody who would answer for another", () => {
  it("[APPROVE-2] [APPROVE-3] sees nothing and decides nothing: agents, models, guests, other persons, the person's other device", async () => {
    const relay = await startRelay();
    await relay.ask();
    const shown = await relay.shown();
    const { person_id: other } = await makePerson(rest, "Bo");
    const { person_id: guest } = await rest.call("create_person", { name: "Ana, too" });
    // In open mode each person has only one credential. A second secret stands in for another device of the same
    // person.
    const [own] = relay.phone.split(".mk_");
    const secondDevice = `${own}.mk_${randomBytes(32).toString("base64url")}`;
    const secret = hash("sha256", secondDevice.split(".mk_")[1] ?? "", "buffer");
    await sql`INSERT INTO further_secrets (scope_id, id, secret_hash)
      SELECT mesh_id, person_id, ${secret} FROM persons WHERE person_id = ${own ?? ""}`;
    for (const [who, code] of [
      [relay.agent.team_id, "forbidden"],
      [guest, "forbidden"],
      [other, "not_found"],
      [secondDevice, "not_found"],
      [undefined, "unauthorized"],
    ] as const) {
      expect(await expectFailure(relay.answer(shown, "allow", { team_id: who })), who).toMatchObject({
        code,
      });
    }
    for (const who of [other, secondDevice]) expect(await relay.list(who)).toEqual([]);
    const mcp = await brokerTransports.mcp(broker.url);
    onTestFinished(() => mcp.close());
    const by = { team_id: relay.phone };
    for (const [name, input] of [
      ["list_approvals", by],
      ["answer_approval", { ...by, approval: shown.approval, decision: "allow", hash: shown.hash }],
      [
        "ask_approval",
        {
          ...relay.agent,
          devices: [toDevice(relay.phone)],
          tool: "Bash",
          input: "{}",
          folder: "/",
          salt: drawSalt(),
        },
      ],
      ["withdraw_approval", { ...relay.agent, approval: shown.approval }],
    ] as const) {
      expect(await expectFailure(mcp.callRaw(name, input)), name).toMatchObject({ code: "forbidden" });
    }
    expect(await relay.list()).toHaveLength(1);
    expect(await relay.events()).toEqual([]);
  });

  it("[APPROVE-3] a stolen observer's link, a token made for a program, and another member are refused; so are devices of somebody else", async () => {
    const { broker: closed, admin: ana } = await startInviteBroker(cleanup);
    const own = await brokerTransports.rest(closed.url, await signInBrowser(closed.url, ana));
    const { session_id, team_id } = await own.call("create_session", {
      title: "S",
      creator_team_name: "T",
    });
    const { person_id: phone } = await own.call("create_person", { name: "Ana" });
    const fields = { tool: "Bash", input: command, folder: "/work" };
    const ask = (devices: string[]) =>
      own.call("ask_approval", { session_id, team_id, ...fields, devices, salt: drawSalt() });
    const { approval } = await ask([toDevice(phone)]);
    const [shown] = (await own.call("list_approvals", { team_id: phone })).waiting as [Approval];
    const decide = (at: TransportClient, as: string) =>
      expectFailure(
        at.call("answer_approval", { approval, decision: "allow", hash: shown.hash, team_id: as }),
      );

    const { link } = await own.call("create_observer_link", { session_id });
    const token = new URL(link).hash.replace("#observe=", "");
    const observer = await brokerTransports.rest(closed.url, { token });
    const programs = await own.call("issue_token", { label: "an agent's" });
    const program = await brokerTransports.rest(closed.url, { token: programs.token });
    const bo = await joinMesh(
      closed.url,
      { invite: (await ana.call("create_invite", {})).link, name: "Bo" },
      cleanup,
    );
    const bos = await brokerTransports.rest(closed.url, await signInBrowser(closed.url, bo));
    const { person_id: bosPhone } = await bos.call("create_person", { name: "Bo" });
    expect(await decide(observer, phone)).toMatchObject({
      code: expect.stringMatching(/forbidden|unauthorized/),
    });
    expect(await decide(program, phone)).toMatchObject({ code: "unauthorized" });
    const { person_id: ofProgram } = await program.call("create_person", { name: "Ana" });
    expect(await decide(program, ofProgram)).toMatchObject({ code: "forbidden" });
    expect(await decide(bos, phone)).toMatchObject({ code: "unauthorized" });
    expect(await decide(bos, bosPhone)).toMatchObject({ code: "not_found" });
    expect(await expectFailure(ask([toDevice(bosPhone)]))).toMatchObject({ code: "forbidden" });
    expect(await expectFailure(ask([toDevice(phone), toDevice(bosPhone)]))).toMatchObject({
      code: "forbidden",
    });
    await own.call("answer_approval", { approval, decision: "allow", hash: shown.hash, team_id: phone });
  });
});

describe("a question of an agent", () => {
  const questions = [
    {
      question: "Which database?",
      header: "Database",
      multiSelect: false,
      options: [
        { label: "Postgres", description: "Relational" },
        { label: "SQLite", description: "A file" },
      ],
    },
    {
      question: "Which features?",
      header: "Features",
      multiSelect: true,
      options: [
        { label: "Auth", description: "Login" },
        { label: "Search", description: "Find" },
      ],
    },
  ];
  const input = JSON.stringify({ questions });
  const answers = [{ options: ["SQLite"] }, { options: ["Search", "Auth"], text: "no export" }];

  async function startQuestion() {
    const relay = await startRelay();
    const { approval } = await relay.ask({ tool: "AskUserQuestion", input });
    return { ...relay, approval, shown: await relay.shown() };
  }

  it("[APPROVE-10] is answered by the options that a person chose and by own words, which the feed does not get", async () => {
    const { approval, shown, answer, wait, events, phone } = await startQuestion();
    await answer(shown, "allow", { answers });
    expect(await wait(approval)).toEqual({
      ...{ state: "allowed", words: null, hash: shown.hash },
      answers: ["SQLite", "Search, Auth, no export"],
      own: null,
    });
    expect(await events()).toMatchObject([{ content: { tool: "AskUserQuestion", decision: "allowed" } }]);
    expect(JSON.stringify(await events())).not.toMatch(/SQLite|no export/);
    const { ended } = await rest.call("list_approvals", { team_id: phone });
    expect(ended).toMatchObject([{ approval, answers: ["SQLite", "Search, Auth, no export"] }]);
  });

  it.each([
    ["an option that was not offered", [{ options: ["MySQL"] }, { options: ["Auth"] }], "does not offer"],
    ["an option of the other question", [{ options: ["Auth"] }, { options: ["Auth"] }], "does not offer"],
    ["two of one", [{ options: ["SQLite", "Postgres"] }, { options: ["Auth"] }], "must choose one"],
    ["one and own words", [{ options: ["SQLite"], text: "x" }, { options: ["Auth"] }], "must choose one"],
    ["an option twice", [{ options: ["SQLite"] }, { options: ["Auth", "Auth"] }], "twice"],
    ["nothing for a question", [{ options: ["SQLite"] }, { options: [] }], "must answer"],
    ["too few answers", [{ options: ["SQLite"] }], "one answer for each"],
    ["no answer", undefined, "one answer for each"],
  ])("[APPROVE-10] is not answered by %s", async (_, forged, problem) => {
    const { shown, answer, list } = await startQuestion();
    const refused = answer(shown, "allow", { answers: forged });
    expect(await expectFailure(refused)).toMatchObject({
      code: "bad_request",
      message: expect.stringContaining(problem),
    });
    expect(await list()).toHaveLength(1);
  });

  it("[APPROVE-10] is not answered for another person, by a guest or an agent, over MCP, or from another session", async () => {
    const { session_id, agent, approval, shown, list, events } = await startQuestion();
    const { person_id: other } = await makePerson(rest, "Bo");
    const { person_id: guest } = await rest.call("create_person", { name: "Ana, too" });
    const { agent: elsewhere } = await startRelay();
    const given = { approval, decision: "allow", hash: hashOf(shown), answers };
    for (const [who, code] of [
      [other, "not_found"],
      [guest, "forbidden"],
      [agent.team_id, "forbidden"],
      [elsewhere.team_id, "forbidden"],
    ] as const) {
      const forged = rest.callRaw("answer_approval", { ...given, team_id: who });
      expect(await expectFailure(forged), who).toMatchObject({ code });
    }
    const mcp = await brokerTransports.mcp(broker.url);
    onTestFinished(() => mcp.close());
    const overMcp = mcp.callRaw("answer_approval", { ...given, team_id: other });
    expect(await expectFailure(overMcp)).toMatchObject({ code: "forbidden" });
    // An agent of another session gets no answer either, under its own session or this one.
    for (const session of [session_id, elsewhere.session_id]) {
      const { team_id } = elsewhere;
      const taken = rest.callRaw("wait_for_approval", { session_id: session, team_id, approval, timeout: 0 });
      expect((await expectFailure(taken)).code).toMatch(/unauthorized|not_found/);
    }
    expect(await list()).toHaveLength(1);
    expect(await events()).toEqual([]);
  });

  it("[APPROVE-10] is not answered once its options changed, with another hash, a second time, or too late", async () => {
    const { approval, shown, answer, wait, ask } = await startQuestion();
    const [first, second] = questions;
    const changed = [{ ...first, options: [{ label: "SQLite" }, { label: "MySQL" }] }, second];
    for (const hash of [
      hashOf({ ...shown, input: JSON.stringify({ questions: changed }) }),
      randomBytes(32).toString("hex"),
    ])
      expect(await expectFailure(answer(shown, "allow", { answers, hash }))).toMatchObject({
        code: "conflict",
      });
    expect(await wait(approval, 0)).toMatchObject({ state: "waiting", answers: null });
    await answer(shown, "allow", { answers });
    const again = answer(shown, "allow", { answers: [{ options: ["Postgres"] }, { options: ["Auth"] }] });
    expect(await expectFailure(again)).toMatchObject({ details: { state: "allowed" } });
    expect(await wait(approval)).toMatchObject({ answers: ["SQLite", "Search, Auth, no export"] });

    const { approval: late } = await ask({ tool: "AskUserQuestion", input });
    await sql`UPDATE approvals SET expires_at = now() - interval '1 second' WHERE number = ${late}`;
    const lapsed = answer({ ...shown, approval: late }, "allow", {
      answers,
      hash: await sql`SELECT hash FROM approvals WHERE number = ${late}`.then(([row]) => row?.["hash"]),
    });
    expect(await expectFailure(lapsed)).toMatchObject({ details: { state: "lapsed" } });
    expect(await wait(late)).toMatchObject({ state: "lapsed", answers: null });
  });

  it("[APPROVE-10] is declined with words or left to the terminal, and nothing else has answers", async () => {
    const { approval, shown, answer, wait, ask, list } = await startQuestion();
    expect(await expectFailure(answer(shown, "deny", { answers }))).toMatchObject({ code: "bad_request" });
    await answer(shown, "deny", { words: "decide yourself" });
    expect(await wait(approval)).toMatchObject({ state: "denied", words: "decide yourself", answers: null });
    await ask();
    const [command] = (await list()) as [Approval];
    expect(await expectFailure(answer(command, "allow", { answers }))).toMatchObject({ code: "bad_request" });
    await answer(command, "allow");
  });
});

describe("a turn that ended with a question", () => {
  const turnEnd = { tool: "Stop", input: JSON.stringify({ last_assistant_message: "Shall I deploy?" }) };

  it("[APPROVE-12] is shown to the agent's person alone, answered by a message only, and left without an answer", async () => {
    const relay = await startRelay();
    const { approval } = await relay.ask(turnEnd);
    const shown = await relay.shown();
    expect(shown).toMatchObject({ approval, ...turnEnd });
    const { person_id: other } = await makePerson(rest, "Bo");
    expect(await relay.list(other)).toEqual([]);
    for (const decision of ["allow", "deny"] as const)
      expect(await expectFailure(relay.answer(shown, decision))).toMatchObject({ code: "bad_request" });
    await relay.answer(shown, "leave");
    expect(await relay.wait(approval)).toMatchObject({ state: "left" });
    expect(await relay.events()).toMatchObject([{ content: { tool: "Stop", decision: "left" } }]);
  });

  it("[APPROVE-12] [APPROVE-7] is over without an event when another turn begins", async () => {
    const relay = await startRelay();
    const { approval } = await relay.ask(turnEnd);
    const shown = await relay.shown();
    await rest.call("withdraw_approval", { ...relay.agent, approval });
    expect(await relay.list()).toEqual([]);
    expect(await relay.events()).toEqual([]);
    expect(await expectFailure(relay.answer(shown, "leave"))).toMatchObject({
      details: { state: "withdrawn" },
    });
  });
});

describe("what is asked", () => {
  it("[APPROVE-4] cannot be swapped: an answer names the hash of what was shown, a salt is good once, and nobody waits for another's", async () => {
    const relay = await startRelay();
    const salt = drawSalt();
    const { approval } = await relay.ask({ salt });
    const shown = await relay.shown();
    for (const swapped of [
      { input: '{"command":"true"}' },
      { tool: "Write" },
      { folder: "/" },
      { salt: drawSalt() },
    ]) {
      const other = hashOf({ ...shown, ...swapped });
      const refused = relay.answer(shown, "allow", { hash: other });
      expect(await expectFailure(refused)).toMatchObject({ code: "conflict" });
    }
    expect(await expectFailure(relay.ask({ salt }))).toMatchObject({ code: "conflict" });
    const { team_id } = await rest.call("join_session", { session_id: relay.session_id, team_name: "Birch" });
    for (const name of ["wait_for_approval", "withdraw_approval"] as const) {
      const foreign = rest.callRaw(name, { session_id: relay.session_id, team_id, approval });
      expect(await expectFailure(foreign)).toMatchObject({ code: "not_found" });
    }
    // The answer to a forged request is sent only to the agent that made the request. The first agent's hook accepts
    // only the answer to its own request.
    const forged = await rest.call("ask_approval", {
      ...{ session_id: relay.session_id, team_id, devices: [toDevice(relay.phone)], salt: drawSalt() },
      ...{ tool: "Bash", input: command, folder: "/work" },
    });
    const [, second] = await relay.list();
    expect(second).toMatchObject({ approval: forged.approval, asked_by: "Birch" });
    await relay.answer(second as Approval, "allow");
    expect(await relay.wait(approval, 0)).toMatchObject({ state: "waiting" });
  });

  it("[APPROVE-1] has bounds: its size, its devices, and how many wait at once", async () => {
    const relay = await startRelay();
    const most = JSON.stringify({ command: "x".repeat(limits.approvalInputBytesMax - 14) });
    await relay.ask({ input: most });
    expect(await expectFailure(relay.ask({ input: `${most} ` }))).toMatchObject({
      code: "payload_too_large",
    });
    await relay.ask({ folder: "f".repeat(limits.approvalFolderCharsMax) });
    const bad = [
      { folder: "f".repeat(limits.approvalFolderCharsMax + 1) },
      { devices: [] },
      { devices: Array.from({ length: limits.approvalDevicesMax + 1 }, () => toDevice(relay.phone)) },
    ];
    for (const each of bad)
      expect(await expectFailure(relay.ask(each))).toMatchObject({ code: "bad_request" });
    const unknown = randomBytes(16).toString("hex");
    expect(await expectFailure(relay.ask({ devices: [unknown] }))).toMatchObject({ code: "not_found" });
    for (let asked = 2; asked < limits.approvalsWaitingPerPeerMax; asked += 1) await relay.ask();
    expect(await expectFailure(relay.ask())).toMatchObject({ code: "conflict" });
    for (const each of await relay.list()) await relay.answer(each, "deny");
    for (let asked = 0; asked < limits.approvalsWaitingPerPeerMax; asked += 1) await relay.ask();
    for (const each of await relay.list()) await relay.answer(each, "deny");
    for (
      let asked = 0;
      asked < limits.approvalsEndedShown - 2 * limits.approvalsWaitingPerPeerMax + 1;
      asked += 1
    ) {
      await relay.ask();
      await relay.answer(await relay.shown(), "leave");
    }
    const { ended } = await rest.call("list_approvals", { team_id: relay.phone });
    expect(ended).toHaveLength(limits.approvalsEndedShown);
  });
});
