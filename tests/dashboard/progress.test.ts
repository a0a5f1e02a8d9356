import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createTestSession, type TestSession } from "../kit/session.js";
import { phone, testDashboard } from "./open-dashboard.js";
import { openMore } from "./open-more.js";

const dashboard = testDashboard();

describe("the progress log", { tags: "chromium" }, () => {
  async function log(
    session: TestSession,
    projectId: string,
    title: string,
    more: object = {},
  ): Promise<string> {
    const entry = { projectId, title, content: `How ${title} was done.`, team_id: session.convener, ...more };
    return (await dashboard.rest.call("log_progress", entry)).id;
  }

  it("[DASH-265] [DASH-266] entries are searched, chosen by project, tag, day and author, and open where they stand", {
    tags: "long",
  }, async () => {
    const session = await createTestSession(dashboard.rest);
    const [auth, app] = [`auth-${randomUUID()}`, `app-${randomUUID()}`];
    const tag = `t${randomUUID().slice(0, 8)}`;
    const content = "The <b>issuer</b> rotates its keys.\n\n1. Wrote the migration";
    const id = await log(session, auth, "Issuer tables done", { content, tags: [tag, "Auth"] });
    await log(session, app, "Registration works", { tags: [tag] });
    const { page, problems, findBarriers } = await dashboard.open(`/progress?tag=${tag}`);
    const list = page.getByRole("list", { name: "Progress entries, newest first" });
    const entry = (title: string) => list.getByRole("button", { name: title, exact: true });
    await entry("Registration works").waitFor();
    expect(await list.locator("> li").count()).toBe(2);

    await page.getByRole("searchbox", { name: "Search the progress log" }).fill("rotated");
    await list.locator("mark").getByText("rotates").waitFor();
    expect(await list.locator("> li").count()).toBe(1);
    await entry("Issuer tables done").click();
    await page.waitForURL(`**p=${id}`);
    // Markup in an entry is shown as text.
    await list.getByText("The <b>issuer</b> rotates its keys.").waitFor();
    await list.getByRole("listitem").filter({ hasText: "Wrote the migration" }).last().waitFor();
    expect(await findBarriers()).toEqual([]);

    await page.getByRole("searchbox", { name: "Search the progress log" }).fill("");
    await entry("Registration works").waitFor();
    await page.getByRole("navigation", { name: "Projects" }).getByRole("button", { name: app }).click();
    await page.waitForURL(`**project=${app}`);
    await entry("Issuer tables done").waitFor({ state: "detached" });
    await page.goBack();
    await entry("Issuer tables done").waitFor();
    await list.getByRole("button", { name: "Auth", exact: true }).click();
    await entry("Registration works").waitFor({ state: "detached" });
    await page.getByRole("combobox", { name: "Logged by" }).selectOption("Atlas");
    await page.getByLabel("To", { exact: true }).fill("2020-01-31");
    await page.getByText("No entries found").waitFor();
    await page.getByRole("button", { name: "Show all entries" }).click();
    await entry("Registration works").waitFor();
    expect(problems).toEqual([]);
  });

  it("[DASH-267] a session has a tab of its own entries, live; a person logs there, and the address names the entry", {
    tags: "long",
  }, async () => {
    const session = await createTestSession(dashboard.rest);
    const other = await createTestSession(dashboard.rest);
    const elsewhere = await log(other, "elsewhere", "Done elsewhere");
    const as = await dashboard.newPerson();
    const { page, problems } = await dashboard.open(`/sessions/${session.slug}`, { as });
    await (await openMore(page, "Parts of the session")).getByRole("link", { name: "Progress" }).click();
    await page.getByText("No progress yet").waitFor();
    await log(session, "auth", "Moved the keys");
    await page.getByRole("button", { name: "Moved the keys" }).waitFor();
    await page.getByRole("main").getByRole("link", { name: "Progress 1" }).waitFor();

    await page.getByRole("button", { name: "Log progress" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox", { name: "Title" }).fill("Looked at it");
    await dialog.getByRole("textbox", { name: "Details" }).fill("With **both** eyes.");
    await dialog.getByRole("button", { name: "Log progress" }).click();
    await page.getByText("With both eyes.").waitFor();
    await page.getByRole("listitem", { name: "Looked at it" }).getByText("Ana").waitFor();
    await page.waitForURL(/\?p=[0-9a-z]{12}$/);
    const own = new URL(page.url()).searchParams.get("p");
    expect(await dashboard.rest.call("list_progress", { session: session.slug })).toMatchObject({
      entries: [{ id: own, projectId: "auth", loggedBy: "Ana" }, { title: "Moved the keys" }],
    });
    // An entry from another session is shown above the list.
    await page.goto(`${dashboard.broker.url}/sessions/${session.slug}/progress?p=${elsewhere}`);
    const named = page.getByRole("region", { name: `Entry ${elsewhere}` });
    await named.getByText("How Done elsewhere was done.").waitFor();
    await named.getByRole("button", { name: `Close ${elsewhere}` }).click();
    await named.waitFor({ state: "detached" });
    expect(problems).toEqual([]);
  });

  it("[DASH-265] pages go back in time, and a phone shows it all", { tags: "long" }, async () => {
    const session = await createTestSession(dashboard.rest);
    const project = `many-${randomUUID()}`;
    for (let number = 1; number <= 31; number++) await log(session, project, `Step ${number}`);
    const { page, problems } = await dashboard.open(`/progress?project=${project}`, phone);
    await page.getByRole("button", { name: "Step 31" }).waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(phone.viewport.width);
    await page.getByRole("button", { name: "Older" }).click();
    await page.getByRole("button", { name: "Step 1", exact: true }).waitFor();
    await page.getByRole("button", { name: "Newest" }).click();
    await page.getByRole("button", { name: "Step 31" }).waitFor();
    await page.getByRole("navigation", { name: "Main" }).getByRole("button", { name: "More" }).click();
    await page.getByRole("dialog", { name: "More pages" }).getByRole("link", { name: "Progress" }).waitFor();
    expect(problems).toEqual([]);
  });

  it("[DASH-268] thoughts: the chain is checked by the broker, and a record in this browser", {
    tags: "long",
  }, async () => {
    const { rest } = dashboard;
    const { convener: team_id } = await createTestSession(rest);
    const intent = `Where tokens are kept ${randomUUID()}`;
    const { session_id } = await rest.call("audit_session_start", { intent, task_id: randomUUID(), team_id });
    const { page, problems, findBarriers } = await dashboard.open("/progress?view=thoughts");
    await page.getByRole("button", { name: intent }).click();
    await page.getByText("No records yet.").waitFor();
    for (const content of ["List them.", "In the keyring."])
      await rest.call("thought_record", { type: "plan", content, team_id });
    const records = page.getByRole("list", { name: "Records" });
    await records.getByText("In the keyring.").waitFor();
    const { root } = await rest.call("merkle_finalize", { team_id });
    await page.getByText(root).waitFor();
    await page.getByRole("button", { name: "Check chain" }).click();
    await page.getByText("The chain is intact: 2 records of 1 task, matching the sealed root.").waitFor();
    const second = records.getByRole("listitem").filter({ hasText: "In the keyring." });
    await second.getByRole("button", { name: /^Check in this browser/ }).click();
    await second.getByText("Its hash, computed in this browser, leads to the root in 1 step.").waitFor();
    await second.getByText("This does not prove that its content is true").waitFor();
    expect(await findBarriers()).toEqual([]);
    expect(new URL(page.url()).searchParams.get("a")).toBe(session_id);
    expect(problems).toEqual([]);
  });
});
