import { hash } from "node:crypto";
import { toDeviceId } from "@merkle/wire/identity";
import { limits } from "@merkle/wire/limits";
import { beforeAll, describe, expect, it } from "vitest";
import { createCleanup } from "../kit/cleanup.js";
import { dateBack } from "../kit/message-age.js";
import { startModelServer } from "../kit/model-server.js";
import { makePerson as makeVerified } from "../kit/persons.js";
import { createTestSession, expectFailure } from "../kit/session.js";
import { startTestBroker } from "../kit/test-broker.js";
import { connectTestDatabase } from "../kit/test-database.js";
import { type TransportClient, transports } from "../kit/transports.js";

let transport: TransportClient;
let sql: ReturnType<typeof connectTestDatabase>;

const cleanup = createCleanup();
beforeAll(async () => {
  const broker = await startTestBroker({}, cleanup);
  transport = await transports.rest(broker.url);
  sql = connectTestDatabase(broker.databaseUrl, cleanup);
});

async function makePerson(name: string): Promise<string> {
  return (await makeVerified(transport, name)).person_id;
}

describe("The brief's summary", () => {
  it("[BRIEF-7] is a model's, of the lines alone, made once, and null where there is none", async () => {
    const model = await startModelServer(cleanup);
    const summaries = { apiKey: "sk-test", baseUrl: model.url };
    const broker = await startTestBroker({ summaries }, cleanup, "each node asks the model once");
    const rest = await transports.rest(broker.url);
    const session = await createTestSession(rest);
    const { credential } = await session.join("Birch");
    await rest.call("post_message", {
      ...{ session_id: session.sessionId, team_id: session.convener },
      content: { text: "Keep v1", kind: "decision" },
    });
    const input = { session: session.slug, team_id: credential };
    for (const summary of ["Summarised.", "Summarised."]) {
      expect(await rest.call("brief", { ...input, summary: true })).toMatchObject({ summary });
    }
    expect(model.requests).toHaveLength(1);
    expect(model.requests[0]?.body.messages[1]?.content).toContain("decision by Atlas");
    expect(await rest.call("brief", input)).not.toHaveProperty("summary");
    const without = await createTestSession(transport);
    await without.join("Birch");
    const asked = { session: without.slug, since_cursor: 0, summary: true };
    expect(await transport.call("brief", asked)).toMatchObject({ summary: null });
  });
});

describe("The brief", () => {
  it("[BRIEF-1] tells asks, answers, decisions, document, state and people, the most important first", async () => {
    const session = await createTestSession(transport);
    const { sessionId: session_id, convener } = session;
    const atlas = { session_id, team_id: convener };
    const birch = { session_id, team_id: (await session.join("Birch")).credential };
    await transport.call("ack", { ...birch, cursor: 1 });
    const question = await transport.call("post_message", {
      ...birch,
      content: { text: "Which key?", kind: "ask" },
    });
    await transport.call("post_message", { ...atlas, content: { text: "v1 tokens stay", kind: "decision" } });
    await transport.call("post_message", {
      ...atlas,
      reply_to: question.cursor,
      content: { text: "The vault.", answer: "vault" },
    });
    const ask = { text: "Ready to ship?", kind: "ask" as const, options: ["yes", "no"] };
    await transport.call("post_message", { ...atlas, content: ask });
    await transport.call("update_session_doc", {
      ...atlas,
      content: "# Plan\n\nOne.\n",
      expected_version: 0,
    });
    const { task } = await transport.call("create_task", { ...atlas, title: "Rotate the tokens" });
    await transport.call("create_task", { ...atlas, title: "Ship it" });
    await transport.call("claim_task", { ...atlas, task });
    await transport.call("set_state", { ...atlas, key: "deploy", value: "waiting" });
    await transport.call("set_state", { ...atlas, key: "deploy", value: "done" });
    await session.join("Cedar");
    await sql`INSERT INTO jobs (mesh_id, number, kind, session_id, started_by, status, failure, created_at, started_at, completed_at)
      SELECT mesh_id, 1, 'conclude', session_id, 'Ana', 'failed', 'no_result', now(), now(), now()
      FROM sessions WHERE session_id = ${session_id}`;

    const { sessions } = await transport.call("brief", { session: session_id, team_id: birch.team_id });
    expect(sessions).toHaveLength(1);
    const [told] = sessions;
    expect(told).toMatchObject({ session_id, session: session.slug, after: 1, left_out: 0 });
    expect(told?.lines.map(({ kind, by, text }) => [kind, by, text])).toEqual([
      ["ask", "Atlas", "Ready to ship? (yes | no)"],
      ["answer", "Atlas", "vault"],
      ["failed", null, "conclude: Agent finished without producing a proposal. Retry."],
      ["decision", "Atlas", "v1 tokens stay"],
      ["task", "Atlas", "claimed: Rotate the tokens"],
      ["task", "Atlas", "created: Ship it"],
      ["document", null, expect.stringContaining("+One.")],
      ["state", "Atlas", 'deploy = "done"'],
      ["people", null, "joined: Cedar"],
      ["talk", null, "3 messages: Atlas 3"],
    ]);
  });

  it("[BRIEF-9] names reviews that wait for the caller, and its own tasks in review, proposals and approvals, until they are over", async () => {
    const session = await createTestSession(transport);
    const { sessionId: session_id, convener } = session;
    const atlas = { session_id, team_id: convener };
    const birch = { session_id, team_id: (await session.join("Birch")).credential };
    const ana = { session_id, team_id: await makePerson("Ana") };
    const check = { reviewer: "atlas" };
    const { task } = await transport.call("create_task", { ...ana, title: "Rotate", check });
    await transport.call("claim_task", { ...birch, task });
    await transport.call("finish_task", { ...birch, task });
    const { proposal_id } = await transport.call("insert_proposal", {
      ...{ ...birch, base_version: 0, content: "Rotated.", note: "Short." },
    });
    const { approval } = await transport.call("ask_approval", {
      ...{ ...birch, devices: [toDeviceId(ana.team_id, (bytes) => hash("sha256", bytes, "buffer")) ?? ""] },
      ...{ tool: "Bash", input: "{}", folder: "/", salt: "0".repeat(64) },
    });
    await sql`UPDATE tasks SET updated_at = updated_at - interval '11 minutes' WHERE session_id = ${session_id}`;
    const listOpen = async ({ team_id }: { team_id: string }) => {
      const { sessions } = await transport.call("brief", { session: session_id, team_id });
      return sessions
        .flatMap(({ lines }) => lines)
        .filter(({ kind }) => kind.includes("review") || kind.startsWith("own"))
        .map(({ kind, by, text, unanswered, task, proposal, approval }) => [
          ...[kind, task ?? proposal ?? approval, by, text, unanswered],
        ]);
    };
    expect(await listOpen(atlas)).toEqual([["review", task, "Birch", "Rotate", true]]);
    expect(await listOpen(birch)).toEqual([
      ["own_review", task, null, "to atlas: Rotate", true],
      ["own_proposal", proposal_id, null, "Short.", false],
      ["own_approval", approval, null, "Bash", false],
    ]);
    await transport.call("finish_task", { ...atlas, task });
    await transport.call("decide_proposal", { team_id: ana.team_id, proposal_id, decision: "reject" });
    await transport.call("withdraw_approval", { ...birch, approval });
    expect(await listOpen(atlas)).toEqual([]);
    expect(await listOpen(birch)).toEqual([]);
  });

  it("[BRIEF-8] names open asks to the caller and its own, until someone has replied, and says which are unanswered", async () => {
    const session = await createTestSession(transport);
    const { sessionId: session_id, convener } = session;
    const atlas = { session_id, team_id: convener };
    const birch = { session_id, team_id: (await session.join("Birch")).credential };
    const ask = { text: "Which key?", kind: "ask" as const, options: ["old", "new"] };
    const { cursor: old } = await transport.call("post_message", { ...atlas, content: ask, to: "Birch" });
    await transport.call("post_message", { ...atlas, content: { text: "Who tests?", kind: "ask" } });
    await dateBack(sql, { sessionId: session_id, sequence: old }, 11);
    const listAsks = async ({ team_id }: { team_id: string }) => {
      const { sessions } = await transport.call("brief", { session: session_id, team_id, since_cursor: 0 });
      const lines = sessions.flatMap((each) => each.lines);
      return lines
        .filter(({ kind }) => kind.includes("ask"))
        .map(({ kind, by, text, unanswered }) => [kind, by, text, unanswered]);
    };
    expect(await listAsks(atlas)).toEqual([
      ["own_ask", null, "to everyone: Who tests?", false],
      ["own_ask", null, "to Birch: Which key? (old | new)", true],
    ]);
    expect(await listAsks(birch)).toEqual([
      ["ask", "Atlas", "Who tests?", false],
      ["ask", "Atlas", "Which key? (old | new)", true],
    ]);
    await transport.call("post_message", { ...birch, reply_to: old, content: { text: "Not mine to say." } });
    expect(await listAsks(birch)).toEqual([["ask", "Atlas", "Who tests?", false]]);
    expect(await listAsks(atlas)).toEqual([
      ["own_ask", null, "to everyone: Who tests?", false],
      ["own_ask", null, "to Birch: Which key? (old | new)", false],
    ]);
    for (let count = 0; count < 10; count += 1) {
      await transport.call("post_message", { ...birch, content: { text: `${count}?`, kind: "ask" } });
    }
    await transport.call("post_message", { ...birch, content: { text: "10?", kind: "ask" } });
    const own = (await listAsks(birch)).filter(([kind]) => kind === "own_ask");
    expect(own.map(([, , text]) => text)).toEqual(
      Array.from({ length: 10 }, (_, index) => `to everyone: ${10 - index}?`),
    );
  });

  it("[BRIEF-1] says in words what was held and set, and why", async () => {
    const session = await createTestSession(transport);
    const { sessionId: session_id } = session;
    const team_id = await makePerson("Ana");
    await transport.call("mark_read", { session_id, team_id });
    await transport.call("update_session_metadata", {
      ...{ session_id, team_id, title: "Ship on Friday", reason: "Legal is done" },
    });
    const session_settings = { claim_grace_s: 60 };
    await transport.call("update_settings", { session_id, team_id, session_settings });
    await transport.call("hold_session", { session_id, team_id, reason: "Wait for legal" });
    const { sessions } = await transport.call("brief", { session: session.slug, since_cursor: 0, team_id });
    expect(sessions.flatMap(({ lines }) => lines.map(({ by, text }) => `${by}: ${text}`))).toEqual([
      "Ana: put the session on hold, so agents cannot post; Wait for legal",
      "Ana: changed claim grace from 900 s to 60 s",
      expect.stringMatching(/^Ana: changed title from ".+" to "Ship on Friday"; Legal is done$/),
      expect.stringContaining("null: joined: "),
    ]);
  });

  it("[BRIEF-2] begins where the caller has read to, at a time or after a message", async () => {
    const session = await createTestSession(transport);
    const ana = { session_id: session.sessionId, team_id: await makePerson("Ana") };
    await session.post(session.convener, "one");
    await transport.call("mark_read", { ...ana, cursor: 1 });
    const { at } = await session.post(session.convener, "two");
    await session.post(session.convener, "three");
    const talk = async (input: object) => {
      const { sessions } = await transport.call("brief", { team_id: ana.team_id, ...input });
      return sessions.flatMap(({ lines }) => lines.map(({ text }) => text));
    };
    // Without a session, the brief covers all sessions that the person reads.
    expect(await talk({})).toEqual(["2 messages: Atlas 2"]);
    expect(await talk({ session: session.slug, since: at })).toEqual(["2 messages: Atlas 2"]);
    expect(await talk({ session: session.slug, since_cursor: 2 })).toEqual(["1 message: Atlas 1"]);
    await transport.call("mark_read", ana);
    expect(await talk({})).toEqual([]);
    for (const input of [{ since: at, since_cursor: 1, session: session.slug }, { since_cursor: 1 }]) {
      expect(await expectFailure(talk(input))).toMatchObject({ code: "bad_request" });
    }
  });

  it("[BRIEF-2] [LIMIT-1] tells of briefSessionsMax sessions, those that were busy last", async () => {
    const team_id = await makePerson("Eve");
    const slugs: string[] = [];
    for (let n = 0; n <= limits.briefSessionsMax; n++) {
      const session = await createTestSession(transport);
      await session.post(session.convener, "one");
      await transport.call("mark_read", { session_id: session.sessionId, team_id });
      await session.post(session.convener, "two");
      slugs.unshift(session.slug);
    }
    const { sessions } = await transport.call("brief", { team_id });
    expect(sessions.map(({ session }) => session)).toEqual(slugs.slice(0, limits.briefSessionsMax));
  });

  it("[BRIEF-3] keeps to its size, drops the least important first and says how many", async () => {
    const session = await createTestSession(transport);
    const atlas = { session_id: session.sessionId, team_id: session.convener };
    const { credential } = await session.join("Birch");
    for (let n = 0; n < 30; n++) {
      await transport.call("post_message", {
        ...atlas,
        content: { text: `${n} `.repeat(200), kind: "decision" },
      });
      await transport.call("set_state", { ...atlas, key: `k${n}`, value: "\u0007".repeat(50) });
    }
    await transport.call("post_message", { ...atlas, content: { text: "Shall we?", kind: "ask" } });
    const input = { session: session.sessionId, team_id: credential, since_cursor: 0 };
    const { sessions } = await transport.call("brief", input);
    const [told] = sessions;
    expect(told?.lines[0]).toMatchObject({ kind: "ask", text: "Shall we?" });
    expect(told?.left_out).toBeGreaterThan(20);
    expect(told?.lines.filter(({ kind }) => kind === "decision").map(({ sequence }) => sequence)).toEqual(
      told?.lines
        .filter(({ kind }) => kind === "decision")
        .map(({ sequence }) => sequence)
        .toSorted((a, b) => (b ?? 0) - (a ?? 0)),
    );
    const { catalogue } = await import("@merkle/wire/schemas");
    const text = catalogue.brief.compact({ sessions }, { credentialHolder: "caller" });
    expect(text.length).toBeLessThanOrEqual(limits.briefCharsMax);
  });
});
