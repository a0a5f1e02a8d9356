import { beforeAll, describe, expect, it } from "vitest";
import { createCleanup } from "../kit/cleanup.js";
import { createFakeRunner } from "../kit/fake-runner.js";
import { changeSettings, makePerson } from "../kit/persons.js";
import { createTestSession, expectFailure } from "../kit/session.js";
import { startTestBroker } from "../kit/test-broker.js";
import { type TransportClient, transports } from "../kit/transports.js";

let transport: TransportClient;

const cleanup = createCleanup();
beforeAll(async () => {
  transport = await transports.rest((await startTestBroker({}, cleanup)).url);
});

const opus = { model: "opus", input_tokens: 100, output_tokens: 20 };
const none = { cache_read_tokens: 0, cache_write_tokens: 0 };

describe("What agents report to have used", () => {
  it("[USAGE-1] [USAGE-4] is summed by team, peer, task, model, day and session, for the task that was claimed last", async () => {
    const session = await createTestSession(transport);
    const { sessionId: session_id } = session;
    const atlas = { session_id, team_id: session.convener };
    const birch = { session_id, team_id: (await session.join("Birch")).credential };
    const { task } = await transport.call("create_task", { ...atlas, title: "Rotate the tokens" });
    expect(await transport.call("report_usage", { ...atlas, usage: [opus] })).toEqual({
      task: null,
      held: false,
    });
    await transport.call("claim_task", { ...birch, task });
    const haiku = {
      model: "haiku",
      input_tokens: 5,
      output_tokens: 1,
      cache_read_tokens: 900,
      cost_usd: 0.25,
    };
    const report = { ...birch, usage: [opus, haiku], idempotency_key: "reported-once-and-for-all" };
    // A report that is repeated with the same key counts once.
    for (const _ of [1, 2])
      expect(await transport.call("report_usage", report)).toEqual({ task, held: false });

    const read = async (by: "team" | "peer" | "task" | "model" | "day" | "session") =>
      (await transport.call("get_usage", { session_id: session.slug, by })).rows;
    const { total, rows } = await transport.call("get_usage", { session_id: session.slug });
    expect(total).toEqual({
      ...{ input_tokens: 205, output_tokens: 41, cache_read_tokens: 900, cache_write_tokens: 0 },
      ...{ cost_usd: 0.25, cost_is_partial: true },
    });
    expect(rows.map(({ name, input_tokens, cost_usd }) => [name, input_tokens, cost_usd])).toEqual([
      ["Birch", 105, 0.25],
      ["Atlas", 100, null],
    ]);
    expect((await read("task")).map(({ name, task, session }) => [name, task, session])).toEqual([
      ["Rotate the tokens", task, session.slug],
      ["", null, session.slug],
    ]);
    expect((await read("model")).map(({ name }) => name)).toEqual(["opus", "haiku"]);
    expect((await read("peer")).map(({ name }) => name)).toEqual(["Birch", "Atlas"]);
    const [day] = await read("day");
    expect(day).toMatchObject({ name: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), input_tokens: 205 });
    const everywhere = await transport.call("get_usage", {
      by: "session",
      since: day?.name,
      until: day?.name,
    });
    expect(everywhere.rows).toContainEqual(expect.objectContaining({ session: session.slug }));
    const before = await transport.call("get_usage", { session_id: session.slug, until: "2020-01-01" });
    expect(before).toMatchObject({ rows: [], total: { input_tokens: 0, cost_usd: null } });
    expect(await (await fetch(new URL("/metrics", transport.url))).text()).toMatch(
      /merkle_reported_tokens_total\{kind="cache_read"\} 900/,
    );
  });

  it("[USAGE-1] is taken from the teams of the session alone, also after its end, and is a number of tokens", async () => {
    const session = await createTestSession(transport);
    const other = await createTestSession(transport);
    const usage = [opus];
    const { sessionId: session_id } = session;
    const stranger = transport.call("report_usage", { session_id, team_id: other.convener, usage });
    expect(await expectFailure(stranger)).toMatchObject({ code: "unauthorized" });
    const bad = { session_id, team_id: session.convener, usage: [{ ...opus, input_tokens: -1 }] };
    expect(await expectFailure(transport.call("report_usage", bad))).toMatchObject({ code: "bad_request" });
    await transport.call("conclude_session", {
      ...{ session_id, team_id: session.convener, summary_section: "Done." },
    });
    expect(await transport.call("report_usage", { session_id, team_id: session.convener, usage })).toEqual({
      ...{ task: null, held: false },
    });
  });

  it("[USAGE-1] of many who report at once nothing is lost", async () => {
    const session = await createTestSession(transport);
    const at = { session_id: session.sessionId, team_id: session.convener };
    await Promise.all(
      Array.from({ length: 20 }, () => transport.call("report_usage", { ...at, usage: [opus] })),
    );
    const { total } = await transport.call("get_usage", { session_id: session.slug });
    expect(total).toMatchObject({ input_tokens: 2_000, output_tokens: 400, ...none });
  });
});

describe("What a job's agent used", () => {
  it("[USAGE-3] is stored with the job's end, as of a job, and counts towards the session's budget", async () => {
    const runner = createFakeRunner();
    const { url } = await startTestBroker({ agent: runner.agent }, cleanup);
    const rest = await transports.rest(url);
    const session = await createTestSession(rest);
    const at = { session_id: session.sessionId, team_id: session.convener };
    await changeSettings(rest, { session_id: at.session_id, session_settings: { token_budget: 200 } });
    await rest.call("start_job", { kind: "conclude", ...at });
    (await runner.next()).end({ usage: [{ ...opus, cost_usd: 0.5 }] });
    const read = async () => (await rest.call("get_usage", { session_id: session.slug })).rows;
    await expect
      .poll(read)
      .toEqual([expect.objectContaining({ name: "jobs", source: "job", input_tokens: 100, cost_usd: 0.5 })]);
    expect(await rest.call("report_usage", { ...at, usage: [opus] })).toMatchObject({ held: true });
  });
});

describe("A token budget", () => {
  it("[USAGE-5] [ATT-13] asks a human near its end, holds posts at it, and is counted anew when one lets agents go on", async () => {
    const session = await createTestSession(transport);
    const { sessionId: session_id } = session;
    const ana = await makePerson(transport, "Ana");
    const atlas = { session_id, team_id: session.convener };
    await changeSettings(transport, { session_id, session_settings: { token_budget: 1_000 } });
    const report = (input_tokens: number) =>
      transport.call("report_usage", {
        ...atlas,
        usage: [{ model: "opus", input_tokens, output_tokens: 0, cache_read_tokens: 5_000 }],
      });
    const needs = async () => {
      const { items } = await transport.call("list_attention", { team_id: ana.person_id });
      return items.filter((item) => item.session_id === session_id).map(({ kind, text }) => [kind, text]);
    };
    await report(700);
    expect(await needs()).toEqual([]);
    await report(100);
    expect(await needs()).toEqual([["budget_near", expect.stringContaining("800 of 1,000 tokens")]]);
    expect(await report(200)).toMatchObject({ held: true });
    expect(await needs()).toEqual([["held", expect.stringContaining("1,000 of 1,000 tokens")]]);
    expect(await expectFailure(session.post(session.convener, "on I go"))).toMatchObject({
      code: "session_held",
    });
    await transport.call("resume_session", { session_id, team_id: ana.person_id });
    await session.post(session.convener, "thank you");
    await report(100);
    expect(await needs()).toEqual([]);
  });

  it("[USAGE-5] of each team counts what that one reported", async () => {
    const session = await createTestSession(transport);
    const { sessionId: session_id } = session;
    const birch = { session_id, team_id: (await session.join("Birch")).credential };
    await changeSettings(transport, { session_id, session_settings: { team_token_budget: 200 } });
    for (const team_id of [session.convener, birch.team_id]) {
      expect(await transport.call("report_usage", { session_id, team_id, usage: [opus] })).toMatchObject({
        held: false,
      });
    }
    expect(await transport.call("report_usage", { ...birch, usage: [opus] })).toMatchObject({ held: true });
    const { held } = await transport.call("get_session", { session_id });
    expect(held).toMatchObject({ by: "The token budget", reason: expect.stringContaining("Birch reported") });
  });
});
