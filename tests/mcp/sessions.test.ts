import { limits } from "@merkle/wire/limits";
import { expect, it, onTestFinished } from "vitest";
import { startFixtureServer } from "../conformance/fixture-server.js";
import { startInviteBroker } from "../kit/members.js";
import { createTestSession } from "../kit/session.js";
import { getSharedBroker, itOnOneBroker, startTestBroker } from "../kit/test-broker.js";
import { connectTestDatabase } from "../kit/test-database.js";
import { transports } from "../kit/transports.js";
import {
  buildInitializeMessage,
  buildToolCall,
  callTool,
  connectClient,
  initialize,
  listNewTexts,
  post,
  readRpc,
  readText,
} from "./rpc.js";

const inSession = (id: string) => ({ headers: { "mcp-session-id": id } });

it("[MCP-2] an MCP session remembers the team that it created or joined as", async () => {
  const { url } = await getSharedBroker();
  const mcp = `${url}/mcp`;
  const [alder, birch] = [inSession(await initialize(mcp)), inSession(await initialize(mcp))];

  const { slug } = await callTool(
    mcp,
    "create_session",
    { title: "Auth", creator_team_name: "Alder" },
    alder,
  );
  await callTool(mcp, "join_session", { session_id: slug, team_name: "Birch" }, birch);
  await callTool(mcp, "post_message", { session_id: slug, content: { text: "from birch" } }, birch);

  const { messages } = await callTool(mcp, "wait_for_messages", { session_id: slug, timeout: 5 }, alder);
  expect(messages).toMatchObject([
    { team: "Birch" },
    { from: { team: "Birch" }, content: { text: "from birch" } },
  ]);
  const nobody = callTool(mcp, "wait_for_messages", { session_id: slug }, inSession(await initialize(mcp)));
  await expect(nobody).rejects.toMatchObject({ code: "unauthorized" });
});

it("[MCP-19] a call without session_id is about the only session joined; of several one is named, and check_messages reads all", async () => {
  const { url } = await startTestBroker();
  const mcp = `${url}/mcp`;
  const [alder, birch] = [inSession(await initialize(mcp)), inSession(await initialize(mcp))];
  const text = { content: { text: "hello" } };
  const make = (title: string) =>
    callTool(mcp, "create_session", { title, creator_team_name: "Alder" }, alder);
  const one = await make("One");
  await callTool(mcp, "join_session", { session_id: one["slug"], team_name: "Birch" }, birch);
  await callTool(mcp, "post_message", text, alder);
  expect(await callTool(mcp, "check_messages", {}, birch)).toMatchObject({
    messages: [{ content: { text: "hello" } }],
  });

  const two = await make("Two");
  await callTool(mcp, "join_session", { session_id: two["slug"], team_name: "Birch" }, birch);
  await expect(callTool(mcp, "post_message", text, alder)).rejects.toMatchObject({
    code: "bad_request",
    message: expect.stringContaining("You have joined several sessions: one, two."),
  });
  for (const { slug } of [one, two])
    await callTool(mcp, "post_message", { session_id: slug, content: { text: `in ${slug}` } }, alder);
  expect(await callTool(mcp, "check_messages", {}, birch)).toMatchObject({
    session: "one",
    messages: [{ content: { text: "in one" } }],
    others: [{ session: "two", messages: [{ content: { text: "in two" } }] }],
  });

  await callTool(mcp, "leave_session", { session_id: one["slug"] }, birch);
  expect(await callTool(mcp, "get_session", {}, birch)).toMatchObject({ slug: "two" });
  const nobody = callTool(mcp, "post_message", text, inSession(await initialize(mcp)));
  await expect(nobody).rejects.toMatchObject({ code: "bad_request" });
});

it("[MCP-2] a credential that is given comes before the one that is remembered, and a rotated one replaces it", async () => {
  const { url } = await getSharedBroker();
  const mcp = `${url}/mcp`;
  const alder = inSession(await initialize(mcp));
  const { slug } = await callTool(
    mcp,
    "create_session",
    { title: "Auth", creator_team_name: "Alder" },
    alder,
  );
  const cedar = await callTool(mcp, "join_session", { session_id: slug, team_name: "Cedar" });
  const say = (text: string, more: object = {}) =>
    callTool(mcp, "post_message", { session_id: slug, content: { text }, ...more }, alder);

  await say("as cedar", { team_id: cedar["team_id"] });
  await expect(say("as nobody", { team_id: "wrong" })).rejects.toMatchObject({ code: "unauthorized" });
  await callTool(mcp, "rotate_team_credential", { session_id: slug }, alder);
  await say("as alder");

  const { messages } = await callTool(mcp, "get_history", { session_id: slug });
  expect(messages).toMatchObject([
    { event: "team_joined" },
    { from: { team: "Cedar" }, content: { text: "as cedar" } },
    { from: { team: "Alder" }, content: { text: "as alder" } },
  ]);
});

it("[MCP-2] joining again under one's own name resumes the team, under another makes a new one, and leaving ends no reading", async () => {
  const { url } = await getSharedBroker();
  const mcp = `${url}/mcp`;
  const [alder, birch] = [inSession(await initialize(mcp)), inSession(await initialize(mcp))];
  const auth = { title: "Auth", creator_team_name: "Alder" };
  const { slug: session_id } = await callTool(mcp, "create_session", auth, alder);
  const join = (team_name: string) => callTool(mcp, "join_session", { session_id, team_name }, birch);

  const first = await join("Birch");
  expect(await join("birch")).toMatchObject({ team_id: first["team_id"], team_name: "Birch", resumed: true });

  await callTool(mcp, "leave_session", { session_id }, birch);
  expect(await callTool(mcp, "get_session", { session_id }, birch)).toMatchObject({ teams: 1 });
  expect(await join("Birch")).toMatchObject({ team_id: first["team_id"], resumed: true });
  expect(await join("Cedar")).toMatchObject({ team_name: "Cedar", resumed: false });

  const { messages } = await callTool(mcp, "get_history", { session_id });
  expect(messages).toMatchObject([
    { event: "team_joined", team: "Birch" },
    { event: "team_left", team: "Birch" },
    { event: "team_joined", team: "Birch" },
    { event: "team_joined", team: "Cedar" },
  ]);
});

it("[MCP-4] an MCP session and its team go on working at a restarted broker", async () => {
  const broker = await startTestBroker();
  const mcp = `${broker.url}/mcp`;
  const alder = inSession(await initialize(mcp));
  const { slug } = await callTool(
    mcp,
    "create_session",
    { title: "Auth", creator_team_name: "Alder" },
    alder,
  );

  await broker.restart();

  // Two simultaneous calls must resume the session only once.
  const posts = ["one", "two"].map(async (text) => {
    const call = buildToolCall("post_message", { session_id: slug, content: { text } }, text);
    return readText((await readRpc(await post(mcp, call, alder))).result);
  });
  expect(await Promise.all(posts)).toHaveLength(2);
});

it("[MCP-4] another broker on the same database takes an MCP session up", async () => {
  const first = await startTestBroker();
  const alder = inSession(await initialize(`${first.url}/mcp`));
  const { slug } = await callTool(
    `${first.url}/mcp`,
    "create_session",
    { title: "Auth", creator_team_name: "Alder" },
    alder,
  );
  await first.stop();
  const second = await startTestBroker({ databaseUrl: first.databaseUrl });

  const message = { session_id: slug, content: { text: "still me" } };
  expect(await callTool(`${second.url}/mcp`, "post_message", message, alder)).toMatchObject({ cursor: 1 });
});

it("[MCP-4] two official clients converse without polling, and go on after a restart of the broker", async () => {
  const broker = await startTestBroker();
  const mcp = `${broker.url}/mcp`;
  const alder = await connectClient(mcp, onTestFinished);
  const birch = await connectClient(mcp, onTestFinished);
  const call = async (client: typeof alder, name: string, args: Record<string, unknown>) =>
    readText(await client.callTool({ name, arguments: args }));
  const hear = async (client: typeof alder) => {
    return listNewTexts(await call(client, "wait_for_messages", { session_id: "talk" }));
  };
  const say = (client: typeof alder, text: string) =>
    call(client, "post_message", { session_id: "talk", content: { text } });

  await call(alder, "create_session", { title: "Talk", slug: "talk", creator_team_name: "Alder" });
  await call(birch, "join_session", { session_id: "talk", team_name: "Birch" });
  expect(await hear(alder)).toEqual([""]);
  for (const round of [1, 2]) {
    const heard = [hear(birch)];
    await say(alder, `question ${round}`);
    expect(await heard[0]).toEqual([`question ${round}`]);
    const answer = hear(alder);
    await say(birch, `answer ${round}`);
    expect(await answer).toEqual([`answer ${round}`]);
    if (round === 1) await broker.restart();
  }
});

it("[MCP-2] a team that could not be remembered is not made: what an MCP session was told holds after a restart", async () => {
  const broker = await startTestBroker();
  const mcp = `${broker.url}/mcp`;
  const sql = connectTestDatabase(broker.databaseUrl);
  const { sessionId } = await createTestSession(await transports.rest(broker.url));
  const alder = inSession(await initialize(mcp));
  await callTool(mcp, "list_sessions", {}, alder);
  const calls = [
    ["join_session", { session_id: sessionId, team_name: "Alder" }],
    ["create_session", { title: "Own", slug: "own", creator_team_name: "Alder" }],
  ] as const;
  await sql`ALTER TABLE mcp_session_teams RENAME TO away`;
  for (const [name, input] of calls) {
    expect((await readRpc(await post(mcp, buildToolCall(name, input), alder))).result).toMatchObject({
      isError: true,
    });
  }
  await sql`ALTER TABLE away RENAME TO mcp_session_teams`;
  expect(await sql`SELECT FROM teams`).toHaveLength(1);
  expect(await sql`SELECT FROM sessions`).toHaveLength(1);
  for (const [name, input] of calls) await callTool(mcp, name, input, alder);
  await broker.restart();
  for (const session_id of [sessionId, "own"]) {
    const posted = await callTool(mcp, "post_message", { session_id, content: { text: "still me" } }, alder);
    expect(posted).toHaveProperty("cursor");
  }
});

it("[MCP-2] no secret is shown where the connection remembers the team, and the uuid stands for it there alone", async () => {
  const { url } = await getSharedBroker();
  for (const view of ["json", "compact"]) {
    const mcp = `${url}/mcp?view=${view}`;
    const headers = { "mcp-session-id": await initialize(mcp) };
    const said: string[] = [];
    const call = async (name: string, args: object) => {
      const { result } = await readRpc(await post(mcp, buildToolCall(name, args), { headers }));
      said.push(Object(result).content[0].text);
      return said.at(-1) ?? "";
    };
    await call("create_session", { title: view, slug: view, creator_team_name: "Alder" });
    await call("join_session", { session_id: view, team_name: "Birch", peer_name: "oak" });
    const { peers } = await callTool(`${url}/mcp`, "list_peers", { session_id: view });
    const team_id = Object(peers).find(({ name }: { name: string }) => name === "oak").peer_id;
    await call("rotate_team_credential", { session_id: view });
    expect(await call("post_message", { session_id: view, team_id, content: { text: "x" } })).not.toContain(
      "error",
    );
    for (const text of said) expect(text).not.toContain("mk_");
    const elsewhere = callTool(`${url}/mcp`, "wait_for_messages", { session_id: view, team_id });
    await expect(elsewhere).rejects.toMatchObject({ code: "unauthorized" });
  }
});

itOnOneBroker("each node counts what it refuses")(
  "[MCP-14] a refused call that is sent again and again is answered later and told to stop",
  async () => {
    const { url } = await getSharedBroker();
    const mcp = `${url}/mcp`;
    const headers = { "mcp-session-id": await initialize(mcp) };
    const send = async (query: unknown) => {
      const began = performance.now();
      const { result } = await readRpc(
        await post(mcp, buildToolCall("list_sessions", { query }), { headers }),
      );
      return { text: String(Object(result).content[0].text), ms: performance.now() - began };
    };
    expect((await send(1)).text).not.toContain("Stop sending it");
    expect((await send(1)).text).not.toContain("Stop sending it");
    const third = await send(1);
    expect(third.text).toContain("this same call 3 times");
    expect(third.ms).toBeGreaterThan(900);
    expect((await send(2)).text).not.toContain("Stop sending it");
  },
);

it("[MCP-9] of an MCP session only a hash is stored, and its id is no credential", async () => {
  const { url, databaseUrl } = await startTestBroker();
  const mcp = `${url}/mcp`;
  const id = await initialize(mcp);
  expect(id).toMatch(/^[\w-]{43}$/);
  const created = await callTool(
    mcp,
    "create_session",
    { title: "A", creator_team_name: "B" },
    inSession(id),
  );

  const sql = connectTestDatabase(databaseUrl);
  const stored =
    await sql`SELECT s::text AS row FROM mcp_sessions s UNION ALL SELECT t::text FROM mcp_session_teams t`;
  expect(stored).toHaveLength(2);
  for (const { row } of stored) {
    for (const text of [id, ".mk_"]) {
      expect(row).not.toContain(text);
      expect(row).not.toContain(Buffer.from(text).toString("hex"));
    }
  }
  const asCredential = callTool(mcp, "wait_for_messages", { session_id: created["session_id"], team_id: id });
  await expect(asCredential).rejects.toMatchObject({ code: "unauthorized" });
  const rest = await fetch(`${url}/api/sessions/${created["session_id"]}/messages/wait`, {
    headers: { "mcp-session-id": id, "x-team-id": id },
  });
  expect(rest.status).toBe(401);
});

it("[MCP-9] an unknown MCP session is answered 404, and so is one that was ended", async () => {
  const { url } = await getSharedBroker();
  const mcp = `${url}/mcp`;
  const id = await initialize(mcp);
  const remove = () => fetch(mcp, { method: "DELETE", headers: { "mcp-session-id": id } });
  expect((await remove()).status).toBe(200);
  expect((await remove()).status).toBe(404);
  for (const unknown of [id, "x".repeat(43), "?"]) {
    const response = await post(mcp, buildToolCall("list_sessions", {}), inSession(unknown));
    expect(response.status).toBe(404);
    expect((await readRpc(response)).error?.code).toBe(-32001);
  }
});

it("[MCP-13] an observer's link stores nothing, a member's initialize only its version, and a large one is refused", async () => {
  const { broker, admin } = await startInviteBroker(onTestFinished);
  const { url, databaseUrl } = broker;
  const mcp = `${url}/mcp`;
  const { session_id } = await admin.call("create_session", { title: "A", creator_team_name: "B" });
  const { link } = await admin.call("create_observer_link", { session_id });
  const { token } = await admin.call("issue_token", {});
  const open = (secret: string | undefined, bytes: number) => {
    const message = buildInitializeMessage();
    const { clientInfo, ...params } = Object(message["params"]);
    const named = (name: string) =>
      JSON.stringify({ ...message, params: { ...params, clientInfo: { ...clientInfo, name } } });
    return post(mcp, named("x".repeat(bytes - named("").length)), {
      headers: { authorization: `Bearer ${secret}` },
    });
  };
  const sql = connectTestDatabase(databaseUrl);
  const stored = () => sql`SELECT initialize::text AS text FROM mcp_sessions`;

  const bytesMax = limits.mcpInitializeBytesMax;
  const observer = link.split("#observe=")[1];
  for (let n = 0; n < 20; n += 1) {
    const { status, headers } = await open(observer, bytesMax - (n % 2));
    expect([status, headers.get("mcp-session-id")]).toEqual([200, null]);
  }
  const onlooker = await connectClient(mcp, onTestFinished, { authorization: `Bearer ${observer}` });
  for (let n = 0; n < 3; n += 1)
    expect(
      readText(await onlooker.callTool({ name: "get_session", arguments: { session_id } })),
    ).toMatchObject({
      session_id,
    });
  expect((await open(observer, bytesMax + 1)).status).toBe(413);
  expect(await stored()).toEqual([]);

  const opened = await open(token, bytesMax);
  expect(opened.status).toBe(200);
  const [row, ...more] = await stored();
  expect(more).toEqual([]);
  expect(row?.["text"]).toContain("2025-11-25");
  expect(row?.["text"].length).toBeLessThan(300);

  await broker.restart();
  const headers = {
    authorization: `Bearer ${token}`,
    "mcp-session-id": opened.headers.get("mcp-session-id") ?? "",
  };
  expect((await post(mcp, buildToolCall("list_sessions", {}), { headers })).status).toBe(200);
});

it("[LIMIT-1] of more MCP sessions than are held in memory, the longest unused are taken up again when they call", async () => {
  const { url, stop } = await startFixtureServer({ liveMax: 2 });
  onTestFinished(stop);
  const ids = [await initialize(url), await initialize(url), await initialize(url), await initialize(url)];
  for (const id of [...ids, ...ids]) {
    const response = await post(url, buildToolCall("test_simple_text", {}), inSession(id));
    expect(await readRpc(response)).toMatchObject({ result: { content: [{ type: "text" }] } });
  }
});

itOnOneBroker("each node knows what it answers itself")(
  "[MCP-11] a request with the id of one that is still being answered is refused",
  async () => {
    const { url } = await getSharedBroker();
    const mcp = `${url}/mcp`;
    const alder = inSession(await initialize(mcp));
    const { slug } = await callTool(mcp, "create_session", { title: "A", creator_team_name: "B" }, alder);
    const first = post(mcp, buildToolCall("wait_for_messages", { session_id: slug, timeout: 1 }, 7), {
      headers: { ...alder.headers, accept: "application/json, text/event-stream" },
    });
    // The response headers arrive immediately, while the wait is still pending.
    const parked = await first;
    const second = await post(mcp, buildToolCall("list_sessions", {}, 7), alder);
    expect(second.status).toBe(400);
    expect(await parked.text()).toContain("next_cursor");
  },
);

it("[MCP-11] [CURSOR-6] a request that is sent again under its id when its connection broke gets its own answer, and not that of the first one", async () => {
  const { url, databaseUrl } = await startTestBroker();
  const mcp = `${url}/mcp`;
  const alder = inSession(await initialize(mcp));
  const { slug } = await callTool(mcp, "create_session", { title: "A", creator_team_name: "B" }, alder);
  const birch = await callTool(mcp, "join_session", { session_id: slug, team_name: "Birch" });
  const streamed = { headers: { ...alder.headers, accept: "application/json, text/event-stream" } };
  const holder = connectTestDatabase(databaseUrl);
  const held = await holder.reserve();
  await held.unsafe("BEGIN; LOCK TABLE messages IN ACCESS EXCLUSIVE MODE");

  const broken = new AbortController();
  const message = { session_id: slug, content: { text: "the first" } };
  // The response headers arrive immediately, while the post waits for the database lock.
  await post(mcp, buildToolCall("post_message", message, 7), { ...streamed, signal: broken.signal });
  broken.abort();
  // Until the broker notices the disconnect, it refuses this request id because it is still in use.
  const wait = buildToolCall("wait_for_messages", { session_id: slug, timeout: 20, since_cursor: 1 }, 7);
  const again = async (): Promise<Response> => {
    const response = await post(mcp, wait, streamed);
    return response.status === 400 ? again() : response;
  };
  const response = await again();
  await held.unsafe("ROLLBACK");
  held.release();
  const own = { session_id: slug, content: { text: "for the wait" }, team_id: birch["team_id"] };
  await callTool(mcp, "post_message", own);
  const [, data = ""] = /^data: (.*"result".*)$/m.exec(await response.text()) ?? [];
  expect(listNewTexts(readText(JSON.parse(data).result))).toEqual(["for the wait"]);
});
