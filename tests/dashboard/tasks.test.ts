import { describe, expect, it } from "vitest";
import { createTestSession } from "../kit/session.js";
import { phone, testDashboard } from "./open-dashboard.js";

const dashboard = testDashboard();

describe("the tasks of a session", { tags: "chromium" }, () => {
  async function startTasks() {
    const session = await createTestSession(dashboard.rest, "Split the auth service");
    const { sessionId: session_id } = session;
    const atlas = { session_id, team_id: session.convener };
    const birch = { session_id, team_id: (await session.join("Birch")).credential };
    const { rest } = dashboard;
    const add = (title: string, more: object = {}) => rest.call("create_task", { ...atlas, title, ...more });
    await add("Rotate tokens on every refresh", {
      text: "The gateway keeps the last two.",
      labels: ["auth"],
    });
    await add("Write down what a token holds");
    await add("Test the rotation", { blocked_by: [1], assignee: "Birch", files: ["tests/auth/**"] });
    await add("Move the gateway over", { blocked_by: [1, 3] });
    await add("Delete the old issuer", { blocked_by: [4] });
    await rest.call("claim_task", { ...atlas, task: 1 });
    await rest.call("claim_task", { ...birch, task: 2 });
    await rest.call("finish_task", { ...birch, task: 2, result: "In the document, under Tokens." });
    await rest.call("claim", { ...atlas, scope: "repo:src/auth/**", reason: "rotating tokens" });
    return { session, atlas, birch, path: `/sessions/${session.slug}/tasks` };
  }

  it("[DASH-161] the board has a column for each state, a task opens by keys with its history, and what changes is there at once", async () => {
    const { atlas, path } = await startTasks();
    const as = await dashboard.newPerson("Ana");
    const { page, problems, findBarriers } = await dashboard.open(path, { as });
    const claimed = page.getByRole("region", { name: /^Claimed/ });
    await claimed.getByRole("button", { name: /Rotate tokens/ }).waitFor();
    await page
      .getByRole("region", { name: /^Blocked/ })
      .getByText("blocked by 1, 3")
      .waitFor();
    await page.getByRole("region", { name: "File claims" }).getByText("repo:src/auth/**").waitFor();
    await page.getByRole("link", { name: "Tasks 4" }).waitFor();
    expect(await findBarriers()).toEqual([]);

    await page.keyboard.press("j");
    const details = page.getByRole("region", { name: /^Task \d/ });
    await details.getByRole("heading", { name: /^Task/ }).waitFor();
    await page.keyboard.press("Escape");
    await details.waitFor({ state: "detached" });
    await claimed.getByRole("button", { name: /Rotate tokens/ }).click();
    await details.getByText("The gateway keeps the last two.").waitFor();
    await details.getByText(/claimed by Atlas/).waitFor();
    expect(await findBarriers()).toEqual([]);

    await dashboard.rest.call("finish_task", { ...atlas, task: 1, result: "They rotate." });
    await details.getByText("They rotate.").waitFor();
    const open = page.getByRole("region", { name: /^Open/ });
    await open.getByRole("button", { name: /Test the rotation/ }).click();
    await details.getByRole("list", { name: "Files" }).getByText("tests/auth/**").waitFor();
    expect(problems).toEqual([]);
  });

  it("[DASH-162] a person adds a task, claims and finishes it, and ends another's claim, by the keyboard alone", {
    tags: "long",
  }, async () => {
    const { session, path } = await startTasks();
    const { page, problems, findBarriers } = await dashboard.open(path, {
      as: await dashboard.newPerson("Ana"),
    });
    await page.getByRole("region", { name: "File claims" }).getByText("repo:src/auth/**").waitFor();
    await page.keyboard.press("n");
    const dialog = page.getByRole("dialog", { name: "New task" });
    await dialog.getByRole("textbox", { name: "Title" }).fill("Announce it");
    await dialog.getByRole("textbox", { name: "Files" }).fill("docs/news.md, CHANGELOG");
    expect(await findBarriers()).toEqual([]);
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("button", { name: /Announce it/ }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Claim", exact: true }).waitFor();
    await page.keyboard.press("c");
    await page.getByRole("button", { name: "Release" }).waitFor();
    await page.keyboard.press("f");
    await page
      .getByText("Result: ")
      .or(page.getByText(/done by Ana/))
      .first()
      .waitFor();
    await page.getByRole("button", { name: "Release repo:src/auth/** of Atlas" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("No claims.").waitFor();
    await page.getByLabel("When an agent edits files claimed by another").selectOption("refuse");
    await expect
      .poll(async () => (await dashboard.rest.call("list_claims", { session_id: session.sessionId })).edits)
      .toBe("refuse");
    expect(problems).toEqual([]);
  });

  it("[DASH-163] what waits for what is drawn, and on a phone all of it fits; the page of all sessions leads to each task", {
    tags: "long",
  }, async () => {
    const { path } = await startTasks();
    const small = await dashboard.open(`${path}?view=order&task=4`, phone);
    await small.page
      .getByRole("button", { name: /4 Move the gateway over.*Blocked.*blocked by 1, 3/s })
      .waitFor();
    expect(await small.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    expect(await small.findBarriers()).toEqual([]);

    const { page, problems, findBarriers } = await dashboard.open("/tasks");
    const link = page.getByRole("link", { name: /Delete the old issuer/ }).first();
    await link.waitFor();
    expect(await findBarriers()).toEqual([]);
    await link.click();
    await page.getByRole("heading", { name: "Task 5: Delete the old issuer" }).waitFor();
    expect([...problems, ...small.problems]).toEqual([]);
  });
});
