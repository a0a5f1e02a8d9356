import { countUnread, openDatabase } from "@merkle/db";
import { limits } from "@merkle/wire/limits";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { makeRow } from "../kit/message-row.js";
import { makePerson as makeVerified } from "../kit/persons.js";
import { createTestSession, expectFailure, toBareId } from "../kit/session.js";
import { getSharedBroker, type SharedBroker } from "../kit/test-broker.js";
import { connectTestDatabase } from "../kit/test-database.js";
import { type TransportClient, transports } from "../kit/transports.js";

let broker: SharedBroker;
let transport: TransportClient;

beforeAll(async () => {
  broker = await getSharedBroker();
  transport = await transports.rest(broker.url);
});

async function makePerson(name = "Ana"): Promise<string> {
  return (await makeVerified(transport, name)).person_id;
}

describe("Reading", () => {
  it("[READ-1] goes forward only, up to the feed's end, and joins nobody", async () => {
    const session = await createTestSession(transport);
    const ana = { session_id: session.sessionId, team_id: await makePerson() };
    for (const text of ["one", "two", "three"]) await session.post(session.convener, text);
    expect(await transport.call("mark_read", { ...ana, cursor: 2 })).toEqual({ last_read: 2, unread: 1 });
    expect(await transport.call("mark_read", { ...ana, cursor: 1 })).toEqual({ last_read: 2, unread: 1 });
    expect(await expectFailure(transport.call("mark_read", { ...ana, cursor: 4 }))).toMatchObject({
      code: "bad_request",
      details: { field: "cursor", last_sequence: 3 },
    });
    expect(await transport.call("mark_read", ana)).toEqual({ last_read: 3, unread: 0 });
    expect(await transport.call("get_session", ana)).toMatchObject({ last_read: 3, teams: 1 });
    expect(
      await expectFailure(transport.call("mark_read", { ...ana, team_id: session.convener })),
    ).toMatchObject({
      code: "forbidden",
    });
    expect(await expectFailure(transport.call("mark_read", { session_id: session.sessionId }))).toMatchObject(
      {
        code: "unauthorized",
      },
    );
  });

  it("[READ-1] the person's team has read as far, so that a message to it counts as delivered", async () => {
    const session = await createTestSession(transport);
    const ana = { session_id: session.sessionId, team_id: await makePerson() };
    await transport.call("post_message", { ...ana, content: { text: "here" } });
    const { cursor } = await transport.call("post_message", {
      session_id: session.sessionId,
      team_id: session.convener,
      content: { text: "for you" },
      to: ["Ana"],
    });
    await transport.call("mark_read", { ...ana, cursor });
    const status = await transport.call("message_status", {
      session_id: session.sessionId,
      team_id: session.convener,
      message: cursor,
    });
    expect(status.recipients).toMatchObject([{ team: "Ana", delivered: true }]);
  });

  it("[READ-2] what others said counts as unread, not events and not one's own", async () => {
    const session = await createTestSession(transport);
    const ana = { session_id: session.sessionId, team_id: await makePerson() };
    await transport.call("mark_read", { ...ana, cursor: 0 });
    await session.join("Birch");
    await session.post(session.convener, "one");
    await transport.call("join_session", { ...ana, team_name: "-" });
    await session.post(session.convener, "two");
    await transport.call("post_message", { ...ana, content: { text: "mine" } });
    expect(await transport.call("mark_read", { ...ana, cursor: 0 })).toMatchObject({ unread: 2 });
    expect(await transport.call("mark_read", { ...ana, cursor: 2 })).toMatchObject({ unread: 1 });
  });

  it("[READ-2] before a person's first reading, what was posted before the person was made is not unread", async () => {
    const session = await createTestSession(transport);
    const sql = connectTestDatabase(broker.databaseUrl);
    const db = await openDatabase({ target: broker.databaseUrl });
    onTestFinished(db.close);
    await session.post(session.convener, "before");
    const personId = toBareId(await makePerson());
    await sql`UPDATE persons SET created_at = now() WHERE person_id = ${personId}`;
    const unread = async () =>
      (await countUnread(db.orm, { meshId: db.meshId, personId }, [session.sessionId])).get(
        session.sessionId,
      );
    expect(await unread()).toBe(0);
    await session.post(session.convener, "after");
    expect(await unread()).toBe(1);
  });

  it("[READ-2] [LIMIT-1] at most unreadCountedMax are counted", async () => {
    const session = await createTestSession(transport);
    const ana = { session_id: session.sessionId, team_id: await makePerson() };
    const sql = connectTestDatabase(broker.databaseUrl);
    const add = async (messages: number) => {
      const rows = Array.from({ length: messages }, () => makeRow(session.sessionId));
      await sql`SELECT append_messages(${JSON.stringify(rows)}::text::json, true)`;
    };
    await add(limits.unreadCountedMax - 1);
    const unread = async () => (await transport.call("mark_read", { ...ana, cursor: 0 })).unread;
    expect(await unread()).toBe(limits.unreadCountedMax - 1);
    await add(1);
    expect(await unread()).toBe(limits.unreadCountedMax);
    await add(1);
    expect(await unread()).toBe(limits.unreadCountedMax);
  });
});

describe("Persons", () => {
  it("[PERSON-8] get_person says whose credential it is, and refuses a team's", async () => {
    const team_id = await makePerson("Bo");
    expect(await transport.call("get_person", { team_id })).toEqual({
      person_id: toBareId(team_id),
      name: "Bo",
      created_at: expect.any(String),
      verified: true,
    });
    const { convener } = await createTestSession(transport);
    expect(await expectFailure(transport.call("get_person", { team_id: convener }))).toMatchObject({
      code: "forbidden",
    });
    expect(await expectFailure(transport.call("get_person", {}))).toMatchObject({ code: "unauthorized" });
  });

  it("[PERSON-9] a renamed person comes to sessions under the new name, and keeps the old where it is", async () => {
    const [before, after] = [await createTestSession(transport), await createTestSession(transport)];
    const team_id = await makePerson("Cy");
    const say = (session_id: string) =>
      transport.call("post_message", { session_id, team_id, content: { text: "hello" } });
    await say(before.sessionId);
    // Makes the broker cache the person in that session under the old name.
    await transport.call("get_session", { session_id: after.sessionId, team_id });
    expect(await transport.call("rename_person", { name: "Cyril", team_id })).toEqual({ name: "Cyril" });
    expect(await transport.call("get_person", { team_id })).toMatchObject({ name: "Cyril" });
    await say(before.sessionId);
    await say(after.sessionId);
    const names = async (session_id: string) =>
      (await transport.call("list_participants", { session_id })).participants.map((each) => each.team_name);
    expect(await names(before.sessionId)).toEqual(["Atlas", "Cy"]);
    expect(await names(after.sessionId)).toEqual(["Atlas", "Cyril"]);
    expect(await expectFailure(transport.call("rename_person", { name: "", team_id }))).toMatchObject({
      code: "bad_request",
    });
    const { convener } = before;
    expect(
      await expectFailure(transport.call("rename_person", { name: "X", team_id: convener })),
    ).toMatchObject({
      code: "forbidden",
    });
  });
});
