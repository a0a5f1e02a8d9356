import type { RunnerFacts } from "@merkle/broker";
import { type Database, openDatabase, recordJobResult } from "@merkle/db";
import { beforeAll, describe, expect, it } from "vitest";
import { createCleanup } from "../kit/cleanup.js";
import { createFakeRunner, type FakeRun } from "../kit/fake-runner.js";
import { changeSettings } from "../kit/persons.js";
import { createTestSession } from "../kit/session.js";
import { brokerTransports } from "../kit/transports.js";
import { phone, testDashboard } from "./open-dashboard.js";
import { openMore } from "./open-more.js";

const facts: RunnerFacts = {
  host: "workshop",
  program: "claude",
  version: "2.1.207 (Claude Code)",
  problem: null,
  containment: "namespace",
  permissions: "listed",
  processes_max: 1_024,
};
let told = facts;
const fake = createFakeRunner("a runner", async () => told);
const dashboard = testDashboard({ agent: { ...fake.agent, maxConcurrentJobs: 2 } });
const cleanup = createCleanup();

describe("jobs in the page", { tags: "chromium" }, () => {
  let database: Database;

  beforeAll(async () => {
    database = await openDatabase({ target: dashboard.broker.databaseUrl });
    cleanup(database.close);
  });

  const produce = ({ job }: FakeRun) =>
    database.transaction((tx) =>
      recordJobResult(
        tx,
        { meshId: database.meshId, number: job.job_id, fence: 1 },
        { kind: "proposal", id: 1 },
      ),
    );

  /** Acts as the agent of a conclude job: proposes a conclusion and ends. */
  async function conclude(run: FakeRun, { session_id, note }: { session_id: string; note: string }) {
    const agent = await brokerTransports.rest(dashboard.broker.url, { token: run.job.credential });
    const base_version = Number(run.job.parameters["Document version"]);
    await agent.call("insert_proposal", { session_id, base_version, content: "Tokens stay 30 days.", note });
    run.end({});
  }

  it("[DASH-269] [DASH-270] [DASH-271] a job is started, followed, cancelled and tried again where it stands", async () => {
    const session = await createTestSession(dashboard.rest);
    const as = await dashboard.newPerson();
    const { page, problems, findBarriers } = await dashboard.open(`/sessions/${session.slug}`, { as });
    await (await openMore(page, "Parts of the session")).getByRole("link", { name: "Jobs" }).click();
    await page.getByText("No jobs yet").waitFor();
    await page.getByRole("button", { name: "Draft conclusion" }).click();
    const rows = page.getByRole("list", { name: "Jobs, newest first" }).getByRole("listitem");
    const newest = rows.first();
    const first = await fake.next();
    await newest.getByText("Running", { exact: true }).waitFor();
    await newest.getByText(/^for \d+ s$/).waitFor();
    await newest.getByText("Ana").waitFor();
    await expect.poll(() => page.getByRole("button", { name: "Draft conclusion" }).count()).toBe(0);

    const tail = ["one", "two", "three", "four", "no <b>licence</b>"].join("\n");
    first.end({ exit_code: 3, error_tail: tail });
    await newest.getByText("Agent failed with exit code 3. See its log.").waitFor();
    await newest.getByText("no <b>licence</b>").waitFor();
    await newest.getByRole("button", { name: "Show all 5 lines" }).click();
    await newest.getByText("one").waitFor();
    expect(await findBarriers()).toEqual([]);

    await newest.getByRole("button", { name: `Retry job ${first.job.job_id}` }).click();
    const second = await fake.next();
    await rows.nth(1).getByText(`Retried as job ${second.job.job_id}.`).waitFor();
    await newest.getByRole("button", { name: `Cancel job ${second.job.job_id}` }).click();
    await newest.getByText("Cancelled", { exact: true }).waitFor();
    expect(second.signal.aborted).toBe(true);

    await newest.getByRole("button", { name: `Retry job ${second.job.job_id}` }).click();
    const third = await fake.next();
    await produce(third);
    third.end({});
    await newest.getByRole("link", { name: "Conclusion draft" }).waitFor();
    await newest.getByText("Succeeded", { exact: true }).waitFor();
    await expect.poll(() => page.getByRole("button", { name: /^Retry/ }).count()).toBe(0);
    expect(problems).toEqual([]);
  });

  it("[DASH-273] a draft comes into the field where the conclusion is written, and concluding accepts what it has become", {
    tags: "long",
  }, async () => {
    const session = await createTestSession(dashboard.rest);
    const { sessionId: session_id, convener: team_id } = session;
    const content = "# Plan\n\nTokens.\n";
    await dashboard.rest.call("update_session_doc", { session_id, team_id, content, expected_version: 0 });
    const as = await dashboard.newPerson();
    const { page, problems, findBarriers } = await dashboard.open(
      `/sessions/${session.slug}/jobs?conclude=1`,
      { as },
    );
    const dialog = page.getByRole("dialog", { name: "Conclude this session?" });
    const bar = dialog.getByRole("region", { name: "Agent’s draft" });
    await bar.getByRole("button", { name: "Draft conclusion" }).click();
    const run = await fake.next();
    await bar.getByText("Running").waitFor();
    await conclude(run, { session_id, note: "From 3 messages." });
    const field = dialog.getByRole("textbox", { name: "Conclusion (Markdown)" });
    await expect.poll(() => field.inputValue()).toBe("Tokens stay 30 days.");
    await expect.poll(() => field.evaluate((each) => each.matches(":focus"))).toBe(true);
    await bar.getByText("From 3 messages.").waitFor();
    expect(await findBarriers()).toEqual([]);
    await field.fill("Tokens stay **60** days.");
    await dialog.getByRole("button", { name: "Conclude for everyone" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(
      await dashboard.rest.call("read_session_doc", { session_id, section: "Conclusion" }),
    ).toMatchObject({
      content: expect.stringContaining("Tokens stay **60** days."),
    });
    const { proposals } = await dashboard.rest.call("list_proposals", { session_id });
    expect(proposals).toMatchObject([{ status: "accepted", decided_by: "Ana", job_id: run.job.job_id }]);
    expect(problems).toEqual([]);
  });

  it("[DASH-274] [DASH-275] a failed job is tried again from what needs you, where its draft comes to be decided about", async () => {
    const session = await createTestSession(dashboard.rest);
    const { sessionId: session_id, slug } = session;
    const as = await dashboard.newPerson();
    const { page, problems } = await dashboard.open(`/sessions/${slug}/jobs`, { as });
    await page.getByRole("button", { name: "More about this session" }).click();
    await page.getByRole("button", { name: "Who can conclude…" }).click();
    await page.getByRole("checkbox", { name: /^Let the agent conclude the session/ }).check();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("in this session the agent may conclude", { exact: false }).waitFor();
    const settings = { session_id, session_settings: { agent_concludes: "proposes" as const } };
    await changeSettings(dashboard.rest, settings);

    await dashboard.rest.call("start_job", { kind: "conclude", session_id, team_id: session.convener });
    const failing = await fake.next();
    failing.end({ exit_code: 7, error_tail: "no" });
    await page.goto(`${dashboard.broker.url}/needs-you`);
    const needs = page.getByRole("list", { name: "Needs you" }).getByRole("listitem");
    const failed = needs.filter({
      hasText: `Job ${failing.job.job_id} could not draft the conclusion: Agent failed`,
    });
    await failed.getByRole("button", { name: "Retry" }).click();
    const run = await fake.next();
    await failed.waitFor({ state: "detached" });
    await conclude(run, { session_id, note: "" });
    const review = needs.getByRole("link", { name: /^Review proposal \d+ of / });
    await review.waitFor();
    await expect
      .poll(() => review.getAttribute("href"))
      .toMatch(new RegExp(`^/sessions/${slug}/doc\\?proposal=\\d+$`));
    expect(problems).toEqual([]);
  });

  it("[DASH-272] [DASH-276] [DASH-418] what hinders jobs is said where they are started, and the settings tell what runs them", async () => {
    told = { ...facts, version: null, problem: 'No program "claude" can be run here.' };
    const session = await createTestSession(dashboard.rest);
    const { page, problems, findBarriers } = await dashboard.open(`/sessions/${session.slug}/jobs`, phone);
    await page.getByText('will fail immediately. No program "claude" can be run here.').waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(phone.viewport.width);
    expect(await page.getByRole("button", { name: "Draft conclusion" }).isDisabled()).toBe(true);
    await page.goto(`${page.url()}?conclude=1`);
    const bar = page.getByRole("region", { name: "Agent’s draft" });
    await bar.getByText("needs the program “claude”, which this broker cannot run").waitFor();
    expect(await bar.getByRole("button", { name: "Draft conclusion" }).isDisabled()).toBe(true);
    await page.keyboard.press("Escape");
    told = facts;
    await page.getByRole("link", { name: "Job runner" }).click();
    const runner = page.getByRole("region", { name: "Job runner" });
    await runner.getByText("claude, 2.1.207 (Claude Code)").waitFor();
    await runner.getByText(/^separate PID namespace/).waitFor();
    await runner.getByText("2; others wait").waitFor();
    await runner.getByText("No jobs running or waiting in this mesh.").waitFor();
    expect(await findBarriers()).toEqual([]);
    expect(problems).toEqual([]);
  });
});
