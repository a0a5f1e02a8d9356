import { connect } from "@merkle/wire/client";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { atEnd } from "../kit/at-end.js";
import { makePerson } from "../kit/persons.js";
import { createTestSession, failureOf } from "../kit/session.js";
import { startTestBroker } from "../kit/test-broker.js";
import { brokerTransports, type TransportClient } from "../kit/transports.js";

const cleanup = atEnd();
let url: string;
let main: TransportClient;
let team_id: string;

beforeAll(async () => {
  url = (await startTestBroker({}, cleanup, "a node counts what it takes itself, and all of it every 30 s"))
    .url;
  main = await brokerTransports.rest(url);
  team_id = (await makePerson(main, "Ana")).person_id;
});

/** A mesh of the test's own, whose bounds it sets. */
async function makeMesh(mesh: string) {
  await main.call("create_mesh", { name: mesh });
  const transport = await brokerTransports.rest(url, { mesh });
  const near = async () =>
    (await transport.call("list_attention", {})).items.map(({ kind, text }) => [kind, text]);
  const bound = (quotas: object) => main.call("set_quotas", { mesh, team_id, ...quotas });
  return { transport, near, bound };
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
  const refused = await failureOf(say("six"));
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
  const refused = await failureOf(
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
  // What was taken and what is counted afterwards are the same bytes.
  const before = (await main.call("list_meshes", {})).meshes.find(({ name }) => name === "busy");
  expect((await bound({})).quotas).toEqual(before?.quotas);
  for (const refusal of [
    failureOf(transport.call("append_to_session_doc", { ...document, text: "more" })),
    failureOf(third.post(third.convener, "more")),
  ])
    expect(await refusal).toMatchObject({ code: "forbidden", details: { quota: "bytes" } });
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
  const refused = await failureOf(open().call("list_sessions", {}));
  expect(refused).toMatchObject({ code: "forbidden", details: { quota: "connections", max: 1, used: 1 } });
  await first.close();
  await expect.poll(async () => (await bound({})).quotas).toEqual([{ kind: "connections", max: 1, used: 0 }]);
});

it("[QUOTA-3] bounds are set by verified humans alone, of meshes that are there", async () => {
  expect(await failureOf(main.call("set_quotas", { mesh: "nowhere", team_id, messages: 1 }))).toMatchObject({
    code: "not_found",
  });
  const guest = await main.call("create_person", { name: "Gus" });
  const refused = await failureOf(
    main.call("set_quotas", { mesh: "main", team_id: guest.person_id, messages: 1 }),
  );
  expect(refused).toMatchObject({ code: "forbidden" });
});
