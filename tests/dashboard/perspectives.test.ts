import { describe, expect, it } from "vitest";
import { createFakeRunner, type FakeRun } from "../kit/fake-runner.js";
import { createTestSession, type TestSession } from "../kit/session.js";
import { brokerTransports } from "../kit/transports.js";
import { phone, testDashboard } from "./open-dashboard.js";

const fake = createFakeRunner();
const dashboard = testDashboard({ agent: { ...fake.agent, maxConcurrentJobs: 2 } });

/** Acts as an agent that writes a perspective on the document version from the start of its job. */
async function write({ job, end }: FakeRun, content: string): Promise<void> {
  const agent = await brokerTransports.rest(dashboard.broker.url, { token: job.credential });
  const { "Document version": version, "Persona SHA": persona_sha = "" } = job.parameters;
  await agent.call("put_perspective", { source_version: Number(version), persona_sha, content });
  end({});
}

async function writeDocument(
  { sessionId, convener }: TestSession,
  expected_version: number,
  more = "",
): Promise<void> {
  await dashboard.rest.call("update_session_doc", {
    session_id: sessionId,
    team_id: convener,
    content: `# Plan\n\nTokens live for ${expected_version + 15} minutes.\n\n${more}`,
    expected_version,
  });
}

describe("perspectives in the page", { tags: "chromium" }, () => {
  it("[PERSPECTIVE-5] [PERSPECTIVE-6] a persona is chosen, reads, fails, is tried again, and its reading gets stale", async () => {
    const session = await createTestSession(dashboard.rest);
    await writeDocument(session, 0);
    const as = await dashboard.newPerson();
    const { page, problems, findBarriers } = await dashboard.open(`/sessions/${session.slug}/doc`, { as });
    await page.getByRole("button", { name: "Perspectives" }).click();
    const pane = page.getByRole("complementary", { name: "Perspectives" });
    await pane.getByRole("radio", { name: "Sceptic" }).check();
    await pane.getByText(/^Read this as somebody who has to be convinced/).waitFor();
    await pane.getByRole("button", { name: "Review as Sceptic" }).click();
    const first = await fake.next();
    await pane.getByText("Running", { exact: true }).waitFor();
    await pane.getByRole("radio", { name: "Operator" }).check();
    await pane.getByText(/Only one job runs at a time/).waitFor();
    await expect.poll(() => pane.getByRole("button", { name: "Review as Operator" }).isDisabled()).toBe(true);
    await pane.getByRole("radio", { name: "Sceptic" }).check();

    first.end({ exit_code: 3, error_tail: "no licence" });
    await pane.getByText("Agent failed with exit code 3. See its log.").waitFor();
    await pane.getByText("no licence").waitFor();
    expect(await findBarriers()).toEqual([]);
    await pane.getByRole("button", { name: "Retry" }).click();
    await write(await fake.next(), "Why **fifteen** minutes?");
    const reading = pane.getByRole("article", { name: "Perspective of Sceptic" });
    await reading.getByText("fifteen").waitFor();
    await reading.getByText("Read version 1,").waitFor();
    await expect.poll(() => pane.getByText("Agent failed", { exact: false }).count()).toBe(0);

    await writeDocument(session, 1);
    await pane.getByText("the document has changed since version 1.").waitFor();
    await reading.getByText("fifteen").waitFor();
    expect(await findBarriers()).toEqual([]);
    await pane.getByRole("button", { name: "Read again" }).click();
    await write(await fake.next(), "Why sixteen?");
    await reading.getByText("Why sixteen?").waitFor();
    await expect.poll(() => pane.getByText("Stale:").count()).toBe(0);

    await page.reload();
    await reading.getByText("Why sixteen?").waitFor();
    await page.getByText("Tokens live for 16 minutes.").waitFor();
    await page.setViewportSize(phone.viewport);
    await reading.getByText("Why sixteen?").waitFor();
    await page.getByText("Tokens live for 16 minutes.").waitFor({ state: "hidden" });
    await expect.poll(() => page.evaluate("document.documentElement.scrollWidth")).toBe(phone.viewport.width);
    await pane.getByRole("button", { name: "Close perspectives" }).click();
    await page.getByText("Tokens live for 16 minutes.").waitFor();
    expect(problems).toEqual([]);
  });

  it("[DASH-298] beside a reading the outline opens from its button wherever it has no column", {
    tags: "long",
  }, async () => {
    const session = await createTestSession(dashboard.rest);
    await writeDocument(session, 0);
    await writeDocument(session, 1, "## Decisions\n\nNone.\n");
    const as = await dashboard.newPerson();
    const { page } = await dashboard.open(`/sessions/${session.slug}/doc`, {
      as,
      viewport: { width: 1500, height: 900 },
    });
    const column = page.getByRole("navigation", { name: "Outline" });
    const button = page.getByRole("button", { name: "Outline" });
    await column.waitFor();
    await button.waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "Perspectives" }).click();
    await column.waitFor({ state: "hidden" });
    await button.click();
    await column.getByRole("button", { name: "Decisions" }).click();
    await column.waitFor({ state: "hidden" });
    await expect.poll(() => page.evaluate("document.activeElement.dataset.part")).toContain("Decisions");
    await page.setViewportSize({ width: 1900, height: 900 });
    await column.waitFor();
    await button.waitFor({ state: "hidden" });
  });

  it("[PERSONA-7] personas are made, edited beside what another saved meanwhile, retired and restored", async () => {
    const as = await dashboard.newPerson();
    const other = await dashboard.newPerson("Bea");
    const { page, problems, findBarriers } = await dashboard.open("/settings#personas", { as });
    const settings = page.getByRole("region", { name: "Personas" });
    await settings.getByRole("button", { name: "New persona…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Editor");
    await dialog.getByLabel("Instructions").fill("Read it for its words.");
    await dialog.getByRole("button", { name: "Save" }).click();
    await settings.getByText("Read it for its words.").waitFor();

    await settings.getByRole("button", { name: "Edit Editor" }).click();
    await dashboard.rest.call("put_persona", {
      team_id: other,
      name: "Editor",
      prompt: "Read it for its commas.",
      expected_version: 1,
    });
    await dialog.getByLabel("Instructions").fill("Read it for its rhythm.");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByRole("region", { name: "Version 2" }).getByText("Read it for its commas.").waitFor();
    await dialog.getByText("saved version 2 of").waitFor();
    expect(await findBarriers()).toEqual([]);
    await dialog.getByRole("button", { name: "Save over version 2" }).click();
    await settings.getByText("Read it for its rhythm.").waitFor();
    expect(await dashboard.rest.call("get_persona", { name: "Editor" })).toMatchObject({
      version: 3,
      updated_by: "Ana",
    });

    await settings.getByRole("button", { name: "Retire Editor" }).click();
    await settings.getByText("Retired (1)").click();
    await settings.getByRole("list", { name: "Retired personas" }).getByText("Editor").waitFor();
    await settings.getByRole("button", { name: "Restore Editor" }).click();
    await settings.getByRole("button", { name: "Retire Editor" }).waitFor();
    expect(problems).toEqual([]);
  });

  it("[SES-31] a concluded session leads on to the next one, which remembers its conclusion", async () => {
    const session = await createTestSession(dashboard.rest, `Auth ${crypto.randomUUID()}`);
    await dashboard.rest.call("conclude_session", {
      session_id: session.sessionId,
      team_id: session.convener,
      summary_section: "We keep v1 for 30 days.",
    });
    const as = await dashboard.newPerson();
    const { page, problems } = await dashboard.open(`/sessions/${session.slug}`, { as });
    await page.getByRole("button", { name: "Continue in a new session" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("starts with its sealed conclusion in memory").waitFor();
    await dialog.getByRole("button", { name: "Start session" }).click();
    await page.getByText(/^Continues "Auth .*first memory here\.$/).waitFor();
    await page
      .getByRole("link", { name: /^Memory/ })
      .last()
      .click();
    await page.getByText("We keep v1 for 30 days.").waitFor();
    expect(problems).toEqual([]);
  });
});
