import { randomBytes } from "node:crypto";
import { connect } from "@merkle/wire/client";
import { operations } from "@merkle/wire/schemas";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { buildValidInputs, startSubject } from "../hostile/subject.js";
import { createCleanup } from "../kit/cleanup.js";
import { makePerson } from "../kit/persons.js";
import { createTestSession, expectFailure } from "../kit/session.js";
import { startTestBroker } from "../kit/test-broker.js";
import { brokerTransports, type TransportClient } from "../kit/transports.js";
import { download } from "../record/bundles.js";

const cleanup = createCleanup();
let url: string;
let main: TransportClient;
let team_id: string;

beforeAll(async () => {
  url = (await startTestBroker({}, cleanup, "a node counts what it takes itself, and all of it every 30 s"))
    .url;
  main = await brokerTransports.rest(url);
  team_id = (await makePerson(main, "Ana")).person_id;
});

/** Creates a mesh whose quotas the test sets. */
async function makeMesh(mesh: string) {
  await main.call("create_mesh", { name: mesh });
  const transport = await brokerTransports.rest(url, { mesh });
  const near = async () =>
    (await transport.call("list_attention", {})).items.map(({ kind, text }) => [kind, text]);
  const bound = (quotas: object) => main.call("set_quotas", { mesh, team_id, ...quotas });
  return { transport, near, bound };
}

async function importBytes(bundle: Uint8Array, headers: Readonly<Record<string, string>>) {
  const response = await fetch(`${url}/api/import`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/zip" },
    body: Buffer.from(bundle),
  });
  return { status: response.status, body: await response.json() };
}

it("[QUOTA-1] [ATT-14] messages are told of from four fifths on and refused at the bound, with what repeats one let through", async () => {
  const { transport, near, bound } = await makeMesh("wordy");
  const session = await createTestSession(transport);
  const say = (text: string, idempotency_key?: string) =>
    transport.call("post_message", {
      ...{ session_id: session.sessionId, team_id: session.convener, content: { text } },
      ...(idempotency_key !== undefined && { idempotency_key }),
    });
  await say("one");
  expect((await bound({ messages: 5 })).quotas).toEqual([{ kind: "messages", max: 5, used: 1 }]);
  await say("two");
  await say("three");
  expect(await near()).toEqual([]);
  await say("four");
  expect(await near()).toEqual([["quota_near", "4 of 5 messages"]]);
  const last = await say("five", "the-fifth-of-all-messages");
  const refused = await expectFailure(say("six"));
  expect(refused).toMatchObject({ code: "forbidden", details: { quota: "messages", max: 5, used: 5 } });
  expect(await say("five", "the-fifth-of-all-messages")).toEqual(last);
  const other = await createTestSession(main);
  await other.post(other.convener, "another mesh is not bounded by it");

  expect((await bound({ messages: 0 })).quotas).toEqual([]);
  expect(await near()).toEqual([]);
  await say("six");
});

it("[QUOTA-1] open sessions make room when they are concluded, and bytes are those of messages and documents", async () => {
  const { transport, bound } = await makeMesh("busy");
  const first = await createTestSession(transport);
  await bound({ sessions: 2 });
  await createTestSession(transport);
  const refused = await expectFailure(
    transport.call("create_session", { title: "Third", creator_team_name: "Elm" }),
  );
  expect(refused).toMatchObject({ code: "forbidden", details: { quota: "sessions", max: 2 } });
  const { sessionId: session_id, convener } = first;
  await transport.call("conclude_session", { session_id, team_id: convener, summary_section: "Done." });
  const third = await createTestSession(transport);

  const { quotas } = await bound({ bytes: 20_000, sessions: 0 });
  expect(quotas).toMatchObject([{ kind: "bytes", max: 20_000 }]);
  const document = { session_id: third.sessionId, team_id: third.convener };
  const content = "x".repeat(20_000);
  await transport.call("update_session_doc", { ...document, content, expected_version: 0 });
  // The running count and a recount differ by the size of the last write's stored result.
  const before = (await main.call("list_meshes", {})).meshes.find(({ name }) => name === "busy");
  const [taken, counted] = [before?.quotas[0]?.used ?? 0, (await bound({})).quotas[0]?.used ?? 0];
  expect(counted - taken).toBeGreaterThanOrEqual(0);
  expect(counted - taken).toBeLessThan(500);
  for (const refusal of [
    expectFailure(transport.call("append_to_session_doc", { ...document, text: "more" })),
    expectFailure(third.post(third.convener, "more")),
  ])
    expect(await refusal).toMatchObject({ code: "forbidden", details: { quota: "bytes" } });
});

it("[QUOTA-4] bytes are counted in every table that keeps what somebody wrote", async () => {
  const { transport, bound } = await makeMesh("thorough");
  const session = await createTestSession(transport);
  const own = { session_id: session.sessionId, team_id: session.convener };
  const measure = async () => (await bound({ bytes: 100_000_000 })).quotas[0]?.used ?? 0;
  const text = randomBytes(2_500).toString("hex");
  const writes: Readonly<Record<string, () => Promise<unknown>>> = {
    versions: () => transport.call("append_to_session_doc", { ...own, text }),
    state: () => transport.call("set_state", { ...own, key: "k", value: text }),
    memories: () => transport.call("remember", { team_id: own.team_id, content: text }),
    tasks: () => transport.call("create_task", { ...own, title: "Long", text }),
    progress: () => transport.call("log_progress", { projectId: "p", title: "Long", content: text }),
    topics: () => transport.call("open_topic", { ...own, version: 1, text }),
    thoughts: async () => {
      const task_id = "task";
      await transport.call("audit_session_start", { team_id: own.team_id, intent: "think", task_id });
      const thought = { team_id: own.team_id, task_id, type: "plan" as const, content: text };
      await transport.call("thought_record", thought);
    },
    messages: () => session.post(session.convener, text),
  };
  for (const [what, write] of Object.entries(writes)) {
    const before = await measure();
    await write();
    expect((await measure()) - before, what).toBeGreaterThanOrEqual(text.length);
  }
});

it("[QUOTA-4] an import asks for its size before it writes; the same bundle again needs no room", async () => {
  const source = await createTestSession(main);
  await source.post(source.convener, randomBytes(5_000).toString("hex"));
  await source.post(source.convener, "and one more");
  const bundle = await download(url, source.sessionId);
  const { transport, bound } = await makeMesh("importing");
  const bring = () => importBytes(bundle, { "x-merkle-mesh": "importing" });
  await bound({ bytes: 9_000 });
  expect(await bring()).toMatchObject({
    status: 403,
    body: { error: { code: "forbidden", details: { quota: "bytes", max: 9_000 } } },
  });
  expect((await transport.call("list_sessions", { status: "all" })).sessions).toEqual([]);
  await bound({ bytes: 0, messages: 1 });
  expect(await bring()).toMatchObject({ status: 403, body: { error: { details: { quota: "messages" } } } });
  await bound({ messages: 0 });
  expect(await bring()).toMatchObject({ status: 200, body: { added: 2 } });
  const [used] = (await bound({ bytes: 1 })).quotas;
  expect(used?.used).toBeGreaterThan(10_000);
  expect(await bring()).toMatchObject({ status: 200, body: { added: 0 } });
});

it("[QUOTA-4] a mesh over its bound refuses what stores text, and still deletes, exports and concludes", async () => {
  const subject = await startSubject(cleanup);
  const { session_id, team_id, person_id } = subject;
  const rest = await brokerTransports.rest(subject.broker.url);
  const own = { session_id, team_id };
  const { id } = await rest.call("remember", { team_id, content: "in the way" });
  await rest.call("set_state", { ...own, key: "in-the-way", value: 1 });
  await rest.call("set_quotas", { mesh: "main", team_id: person_id, bytes: 1 });

  const inputs: Readonly<Record<string, object>> = buildValidInputs(subject);
  const storing = operations.filter(({ stores, access }) => stores !== undefined && access !== "job");
  const names = storing.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining([
      "set_state",
      "remember",
      "create_task",
      "log_progress",
      "open_topic",
      "thought_record",
    ]),
  );
  for (const name of names) {
    const refused = await expectFailure(rest.callRaw(name, inputs[name]));
    expect(refused, name).toMatchObject({ code: "forbidden", details: { quota: "bytes" } });
  }
  await rest.call("forget", { team_id, id });
  await rest.call("delete_state", { ...own, key: "in-the-way" });
  expect((await download(subject.broker.url, session_id)).length).toBeGreaterThan(0);
  await rest.call("conclude_session", { ...own, summary_section: "Full." });
  expect((await rest.call("get_session", { session_id })).status).toBe("closed");
});

it("[QUOTA-2] connections are counted from the first thing that they ask until they close, and end at the bound", async () => {
  const { bound } = await makeMesh("crowded");
  const open = () => {
    const client = connect({ url, mesh: "crowded", WebSocket });
    onTestFinished(() => client.close());
    return client;
  };
  await bound({ connections: 1 });
  const first = open();
  await first.call("list_sessions", {});
  const refused = await expectFailure(open().call("list_sessions", {}));
  expect(refused).toMatchObject({ code: "forbidden", details: { quota: "connections", max: 1, used: 1 } });
  await first.close();
  await expect.poll(async () => (await bound({})).quotas).toEqual([{ kind: "connections", max: 1, used: 0 }]);
});

it("[QUOTA-3] bounds are set by verified humans alone, of meshes that are there", async () => {
  expect(
    await expectFailure(main.call("set_quotas", { mesh: "nowhere", team_id, messages: 1 })),
  ).toMatchObject({
    code: "not_found",
  });
  const guest = await main.call("create_person", { name: "Gus" });
  const refused = await expectFailure(
    main.call("set_quotas", { mesh: "main", team_id: guest.person_id, messages: 1 }),
  );
  expect(refused).toMatchObject({ code: "forbidden" });
});
