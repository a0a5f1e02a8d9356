import { describe, expect, it } from "vitest";
import { createFakeRunner } from "../kit/fake-runner.js";
import { createTestSession, type TestSession } from "../kit/session.js";
import { testDashboard } from "./open-dashboard.js";

const fake = createFakeRunner("a runner");
const dashboard = testDashboard({ agent: { ...fake.agent, maxConcurrentJobs: 4 } });

const plan =
  "# Plan\n\n## Decisions\n\n- Keep v1 tokens\n- Old clients break\n\n## Notes\n\nOne.\n\nTwo.\n\nThree.\n\nFour.\n";
const proposed = plan
  .replace("Keep v1 tokens", "Keep v1 tokens for 30 days")
  .replace("Four.", "Four, and five.");

describe("proposals in the page", { tags: "chromium" }, () => {
  it("[DASH-284] [DASH-285] [DASH-286] a proposal is announced, read change by change, and taken in part", async () => {
    const { session, proposal_id } = await propose();
    const { page, problems, findBarriers } = await open(session);
    await page.getByRole("button", { name: `Review proposal ${proposal_id}` }).click();
    const review = page.getByRole("region", { name: `Proposal ${proposal_id}` });
    await review.getByText("Said for how long.").waitFor();
    await review.getByText("based on v1, the newest text").waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    const notes = review.getByRole("article", { name: "Change in Notes" });
    await expect.poll(() => notes.evaluate((hunk) => hunk.matches(":focus"))).toBe(true);
    await notes.getByRole("checkbox").click();
    expect(await findBarriers()).toEqual([]);
    await review.getByRole("button", { name: "Accept 1 of 2" }).click();
    await review.getByRole("status").getByText("Accepted as v2 by Ana").waitFor();
    await review.getByText("1 change was not accepted. Remaining proposal, based on v2.").waitFor();
    await notes.getByText("Four, and five.").waitFor();
    expect(await review.getByRole("article", { name: /^Change in/ }).count()).toBe(1);
    expect(await read(session)).toBe(plan.replace("Keep v1 tokens", "Keep v1 tokens for 30 days"));
    expect(await findBarriers()).toEqual([]);
    await review.getByRole("button", { name: "Show changes in v2" }).click();
    await page.getByRole("region", { name: "Changes from version 1 to 2" }).waitFor();
    expect(problems).toEqual([]);
  });

  it("[DASH-286] changes are asked for with a remark, which an agent gets, or it is rejected", async () => {
    const { session, topic_id, proposal_id } = await propose();
    const { page } = await open(session, `?proposal=${proposal_id}`);
    const review = page.getByRole("region", { name: `Proposal ${proposal_id}` });
    await review.getByRole("button", { name: "Request changes…" }).click();
    await review.getByRole("textbox", { name: "Changes to make" }).fill("Say it in weeks.");
    await review.getByRole("button", { name: "Request changes" }).click();
    await review.getByText("Sent back for changes by Ana").waitFor();
    const { job } = await fake.next();
    expect(job.job_id).toBeGreaterThan(0);
    const { messages } = await dashboard.rest.call("get_topic", { topic_id });
    expect(messages.at(-1)?.text).toBe("Say it in weeks.");

    const next = await insert(
      session,
      topic_id,
      1,
      plan.replace("Keep v1 tokens", "Keep v1 tokens for 4 weeks"),
    );
    await review.getByRole("button", { name: "Review revision 2" }).click();
    const second = page.getByRole("region", { name: `Proposal ${next}` });
    await second.getByRole("button", { name: "Reject…" }).click();
    await second.getByRole("button", { name: "Reject", exact: true }).click();
    await second.getByText("Rejected by Ana").waitFor();
    expect(await read(session)).toBe(plan);
  });

  it("[DASH-287] one that is stale is rebased and shown again before anything of it is written", async () => {
    const { session, proposal_id } = await propose();
    const { page } = await open(session, `?proposal=${proposal_id}`);
    const review = page.getByRole("region", { name: `Proposal ${proposal_id}` });
    await review.getByRole("button", { name: "Accept", exact: true }).waitFor();
    await write(session, plan.replace("Two.", "Two, as Birch says."), 1);
    await review.getByRole("button", { name: "Rebase and review" }).click();
    await page.getByRole("button", { name: "Accept", exact: true }).click();
    await page.getByText("Accepted as v3 by Ana").waitFor();
    expect(await read(session)).toBe(proposed.replace("Two.", "Two, as Birch says."));
  });

  it("[DASH-287] [DASH-288] what is typed is brought together with what came meanwhile; who is second sees who decided", async () => {
    const { session, proposal_id } = await propose();
    const ana = await open(session, `?proposal=${proposal_id}`);
    const ben = await open(session, `?proposal=${proposal_id}`, "Ben");
    for (const { page } of [ana, ben]) {
      await page.getByRole("button", { name: "Edit and accept" }).click();
      await page.getByRole("textbox", { name: `Text of proposal ${proposal_id}` }).press("Control+End");
      await page.keyboard.type(page === ana.page ? "Six.\n" : "Seven.\n");
    }
    await write(session, plan.replace("# Plan", "# The plan"), 1);
    await ana.page.getByRole("button", { name: "Accept this text" }).click();
    await ana.page.getByRole("button", { name: "Save result" }).click();
    await ana.page.getByText("Accepted as v3 by Ana").waitFor();
    expect(await read(session)).toBe(`${proposed.replace("# Plan", "# The plan")}Six.\n`);

    await ben.page.getByText("decided on this proposal while you were editing").waitFor();
    await ben.page.getByRole("button", { name: "View decision" }).click();
    await ben.page.getByText("Accepted as v3 by Ana").waitFor();
    await ben.page.getByText("Your edit was not used").waitFor();
    await ben.page.getByRole("button", { name: "Show current text" }).click();
    await ben.page.getByRole("heading", { name: "The plan" }).waitFor();
  });

  it("[DASH-286] a conclusion that is accepted ends the session, which is asked first", async () => {
    const session = await createTestSession(dashboard.rest);
    await write(session, plan, 0);
    const { proposal_id } = await dashboard.rest.call("insert_proposal", {
      session_id: session.sessionId,
      base_version: 1,
      content: "We keep v1 for 30 days.",
      team_id: session.convener,
    });
    const { page, problems, findBarriers } = await open(session, `?proposal=${proposal_id}`);
    const review = page.getByRole("region", { name: `Proposal ${proposal_id}` });
    await review.getByRole("button", { name: "Accept and conclude…" }).click();
    const dialog = page.getByRole("alertdialog", { name: "Conclude the session with this proposal?" });
    expect(await findBarriers()).toEqual([]);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    const status = async () =>
      (await dashboard.rest.call("get_session", { session_id: session.sessionId })).status;
    expect(await status()).toBe("active");
    await review.getByRole("button", { name: "Accept and conclude…" }).click();
    await dialog.getByRole("button", { name: "Conclude for everyone" }).click();
    await review.getByText(/^Accepted as v2 by Ana/).waitFor();
    expect(await status()).toBe("closed");
    expect(await read(session)).toContain("## Conclusion\n\nWe keep v1 for 30 days.");
    await page.goto(`${dashboard.broker.url}/sessions/${session.slug}`);
    await page.getByRole("region", { name: "Conclusion" }).getByText("We keep v1 for 30 days.").waitFor();
    expect(problems).toEqual([]);
  });

  async function propose() {
    const session = await createTestSession(dashboard.rest);
    await write(session, plan, 0);
    const { topic_id } = await dashboard.rest.call("open_topic", {
      session_id: session.sessionId,
      team_id: session.convener,
      version: 1,
      quote: "Keep v1 tokens",
      text: "For how long?",
    });
    return { session, topic_id, proposal_id: await insert(session, topic_id, 1, proposed) };
  }

  async function insert(session: TestSession, topic_id: number, base_version: number, content: string) {
    const made = await dashboard.rest.call("insert_proposal", {
      topic_id,
      base_version,
      content,
      note: "Said for how long.",
      team_id: session.convener,
    });
    return made.proposal_id;
  }

  function write(session: TestSession, content: string, expected_version: number) {
    const { sessionId: session_id, convener: team_id } = session;
    return dashboard.rest.call("update_session_doc", { session_id, team_id, content, expected_version });
  }

  async function read({ sessionId: session_id }: TestSession): Promise<string | undefined> {
    return (await dashboard.rest.call("read_session_doc", { session_id })).content;
  }

  async function open(session: TestSession, query = "", name = "Ana") {
    const as = await dashboard.newPerson(name);
    return dashboard.open(`/sessions/${session.slug}/doc${query}`, { as });
  }
});
