import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { createTestSession } from "../kit/session.js";
import { phone, testDashboard } from "./open-dashboard.js";

const dashboard = testDashboard();

/** Starts a session in which Atlas has posted an ask, and creates a person Ana who reads the session. */
async function startSession() {
  const session = await createTestSession(dashboard.rest, "Split the auth service");
  const { sessionId: session_id, convener: team_id } = session;
  await session.post(team_id, "Tokens live for 15 minutes.");
  await dashboard.rest.call("post_message", {
    session_id,
    team_id,
    content: { text: "May I use the key sk-live-1234?", kind: "ask", options: ["Yes", "No"] },
  });
  await session.post(team_id, "I go on with the rest.");
  return { ...session, session_id, team_id, ana: await dashboard.newPerson() };
}

const row = (page: Page, sequence: number) => page.locator(`article[data-sequence="${sequence}"]`);

describe("removing a text in the dashboard", { tags: "chromium" }, () => {
  it("[REDACT-11] a message's menu removes it after asking, for everybody who looks, and the row says who did", {
    tags: "long",
  }, async () => {
    const { slug, ana } = await startSession();
    const { page, problems, findBarriers } = await dashboard.open(`/sessions/${slug}`, { as: ana });
    const { page: other } = await dashboard.open(`/sessions/${slug}`, phone);
    await row(other, 2).getByText("sk-live-1234").waitFor();

    await page.getByRole("button", { name: "More about message 2" }).click();
    await page.getByRole("button", { name: "Remove text…" }).click();
    const dialog = page.getByRole("alertdialog");
    await dialog.getByText("sk-live-1234").waitFor();
    await dialog.getByText("or remove copies on other machines").waitFor();
    expect(await findBarriers()).toEqual([]);
    await dialog.getByLabel("Reason (visible to everyone)").fill("a live key");
    await dialog.getByRole("button", { name: "Remove text" }).click();

    for (const each of [page, other]) {
      await row(each, 2).getByText("Text removed by").waitFor();
      await row(each, 2).getByText("a live key").waitFor();
      await row(each, 2).getByText("ASK", { exact: true }).waitFor();
      await each.getByText("removed the text of message 2").waitFor();
      await expect.poll(() => each.getByText("sk-live-1234").count()).toBe(0);
      expect(await row(each, 2).getByRole("button", { name: "Yes" }).count()).toBe(0);
    }
    await page.getByRole("button", { name: "More about message 2" }).click();
    await page.getByRole("button", { name: "Copy link" }).waitFor();
    expect(await page.getByRole("button", { name: "Remove text…" }).count()).toBe(0);
    expect(await findBarriers()).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("[REDACT-11] the history removes an earlier version's text; reading it and comparing with it say so", async () => {
    const { slug, session_id, team_id, ana } = await startSession();
    const write = (content: string, expected_version: number) =>
      dashboard.rest.call("update_session_doc", { session_id, team_id, content, expected_version });
    await write("# Plan", 0);
    await write("# Plan\n\nsk-live-1234", 1);
    await write("# Plan\n\nnothing", 2);
    const { page, problems, findBarriers } = await dashboard.open(`/sessions/${slug}/doc?doc=history`, {
      as: ana,
    });
    const second = page.getByRole("listitem").filter({ hasText: "v2" });
    await second.getByRole("button", { name: "Remove text… of version 2" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Remove text" }).click();
    await second.getByText("Text removed by").waitFor();
    expect(await page.getByRole("button", { name: "Remove text… of version 3" }).count()).toBe(0);
    expect(await findBarriers()).toEqual([]);

    await page.goto(`${dashboard.broker.url}/sessions/${slug}/doc?v=2`);
    await page.getByText("The text of version 2 was removed.").waitFor();
    await page.goto(`${dashboard.broker.url}/sessions/${slug}/doc?compare=2..3`);
    await page.getByText("The text of version 2 was removed.").waitFor();
    expect(await findBarriers()).toEqual([]);
    expect(problems).toEqual([]);
  });
});
