import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createTestSession, type TestSession } from "../kit/session.js";
import { phone, testDashboard } from "./open-dashboard.js";

const dashboard = testDashboard();

describe("the memory", { tags: "chromium" }, () => {
  async function remember(session: TestSession, content: string, tags: string[] = []): Promise<string> {
    const { rest } = dashboard;
    return (await rest.call("remember", { content, tags, team_id: session.convener })).id;
  }

  it("[DASH-146] [DASH-148] memories are searched with what was found marked, and chosen by tag, author and time", {
    tags: "long",
  }, async () => {
    const session = await createTestSession(dashboard.rest);
    const tag = `t${randomUUID().slice(0, 8)}`;
    await remember(session, "The <b>rate</b> limit is per key, not per host.", [tag, "billing"]);
    await remember(session, "Refresh tokens rotate on every use.", [tag]);
    const { page, problems, findBarriers } = await dashboard.open(`/memory?tag=${tag}`);
    const list = page.getByRole("list", { name: /^Memories/ });
    await list.getByText("Refresh tokens").waitFor();
    expect(await list.getByRole("listitem").count()).toBe(2);

    await page.getByRole("searchbox", { name: "Search memory" }).fill("limits");
    await list.locator("mark").getByText("limit").waitFor();
    expect(await list.getByRole("listitem").count()).toBe(1);
    // Markup in a memory is shown as text.
    await list.getByText("<b>rate</b>").waitFor();
    expect(await findBarriers()).toEqual([]);

    await page.getByRole("searchbox", { name: "Search memory" }).fill("");
    await list.getByText("Refresh tokens").waitFor();
    await list.getByRole("button", { name: "billing" }).click();
    await page.waitForURL(`**/memory?tag=${tag},billing`);
    await list.getByText("Refresh tokens").waitFor({ state: "detached" });
    await page.goBack();
    await list.getByText("Refresh tokens").waitFor();
    await page.getByRole("combobox", { name: "Remembered by" }).selectOption("Atlas");
    await page.getByRole("combobox", { name: "Remembered when" }).selectOption("Last 24 hours");
    await page.waitForURL("**by=Atlas&since=day");
    await list.getByText("Refresh tokens").waitFor();
    expect(problems).toEqual([]);
  });

  it("[DASH-150] a person remembers in a session, tags, forgets with a reason and restores", async () => {
    const session = await createTestSession(dashboard.rest);
    const as = await dashboard.newPerson();
    const { page, problems } = await dashboard.open(`/sessions/${session.slug}/memory`, { as });
    await page.getByText("No memories yet").waitFor();
    await page.getByRole("button", { name: "Remember" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox", { name: "Content" }).fill("Staging uses the old vault.");
    await dialog.getByRole("textbox", { name: "Tags" }).fill("Infra, vault");
    await dialog.getByRole("button", { name: "Remember" }).click();
    const row = page.getByRole("listitem").filter({ hasText: "Staging uses the old vault." });
    await row.getByText("Ana").waitFor();
    await row.getByRole("button", { name: "infra" }).waitFor();

    await row.getByRole("button", { name: /^Edit the tags/ }).click();
    await page.getByRole("textbox", { name: /^Tags/ }).fill("staging");
    await page.getByRole("button", { name: "Save tags" }).click();
    await row.getByRole("button", { name: "staging" }).waitFor();

    await row.getByRole("button", { name: /^Forget/ }).click();
    await page.getByRole("textbox", { name: "Reason" }).fill("It was switched off.");
    await page.getByRole("button", { name: "Forget", exact: true }).click();
    await row.waitFor({ state: "detached" });
    await page.getByRole("checkbox", { name: "Forgotten" }).click();
    await row.getByText("It was switched off.").waitFor();
    await row.getByRole("button", { name: /^Restore/ }).click();
    await row.waitFor({ state: "detached" });
    await page.getByRole("checkbox", { name: "Forgotten" }).click();
    await row.waitFor();
    expect(problems).toEqual([]);
  });

  it("[DASH-147] the address names a memory, a forgotten one too, and what others remember shows at once", async () => {
    const session = await createTestSession(dashboard.rest);
    const id = await remember(session, "The gateway retries twice.");
    const { convener: team_id } = session;
    await dashboard.rest.call("forget", { id, reason: "Three times now.", team_id });
    const { page, problems } = await dashboard.open(`/memory?id=${id}`, phone);
    const named = page.getByRole("region", { name: `Memory ${id}` });
    await named.getByText("Three times now.").waitFor();
    await remember(session, "The gateway retries three times.");
    await page.getByText("The gateway retries three times.").waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(phone.viewport.width);
    await named.getByRole("link", { name: session.slug }).click();
    await page.waitForURL(`**/sessions/${session.slug}?at=*`);
    expect(problems).toEqual([]);
  });
});
