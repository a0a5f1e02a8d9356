import { describe, expect, it } from "vitest";
import { createTestSession } from "../kit/session.js";
import { openInspector } from "./inspect-page.js";
import { phone, testDashboard } from "./open-dashboard.js";
import { openPalette } from "./open-palette.js";

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
    await claimed.getByRole("link", { name: /Rotate tokens/ }).waitFor();
    await page
      .getByRole("region", { name: /^Blocked/ })
      .getByText("blocked by 1, 3")
      .waitFor();
    await page.getByRole("region", { name: "File claims" }).getByText("repo:src/auth/**").waitFor();
    await page.getByRole("link", { name: "Tasks 4" }).waitFor();
    expect(await findBarriers()).toEqual([]);

    await page.keyboard.press("j");
    const details = page.getByRole("dialog", { name: /^Task \d/ });
    await details.getByRole("heading", { name: /^Task/ }).waitFor();
    await page.keyboard.press("Escape");
    await details.waitFor({ state: "detached" });
    await claimed.getByRole("link", { name: /Rotate tokens/ }).click();
    await details.getByText("The gateway keeps the last two.").waitFor();
    await details.getByText(/claimed by Atlas/).waitFor();
    expect(await findBarriers()).toEqual([]);

    await dashboard.rest.call("finish_task", { ...atlas, task: 1, result: "They rotate." });
    await details.getByText("They rotate.").waitFor();
    await page.keyboard.press("Escape");
    const open = page.getByRole("region", { name: /^Open/ });
    await open.getByRole("link", { name: /Test the rotation/ }).click();
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
    await page.getByRole("link", { name: /Announce it/ }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Claim", exact: true }).waitFor();
    await page.keyboard.press("c");
    await page.getByRole("button", { name: "Release", exact: true, disabled: false }).waitFor();
    await page.keyboard.press("f");
    await page
      .getByText(/done by Ana/)
      .first()
      .waitFor();
    await page.keyboard.press("Escape");
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
    await small.page.getByRole("dialog", { name: "Task 4: Move the gateway over" }).waitFor();
    expect(await small.findBarriers()).toEqual([]);
    await small.page.keyboard.press("Escape");
    await small.page
      .getByRole("link", { name: /4 Move the gateway over.*Blocked.*blocked by 1, 3/s })
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

  it("[DASH-380] a task opens over the board, its address names it, Back closes it, and the focus returns to its card", async () => {
    const { path } = await startTasks();
    const { page, problems } = await dashboard.open(path, { as: await dashboard.newPerson("Ana") });
    const card = page.getByRole("link", { name: /Move the gateway over/ });
    const sheet = page.getByRole("dialog", { name: "Task 4: Move the gateway over" });
    const isFocused = () => card.evaluate((element) => element === document.activeElement);
    await card.focus();
    await page.keyboard.press("Enter");
    await sheet.waitFor();
    expect(new URL(page.url()).search).toBe("?task=4");
    await page.goBack();
    await sheet.waitFor({ state: "detached" });
    expect(await isFocused()).toBe(true);

    await page.keyboard.press("Enter");
    await sheet.waitFor();
    await page.keyboard.press("j");
    const next = page.getByRole("dialog", { name: "Task 5: Delete the old issuer" });
    await next.waitFor();
    await page.keyboard.press("k");
    await sheet.waitFor();
    await page.keyboard.press("Escape");
    await sheet.waitFor({ state: "detached" });
    expect(new URL(page.url()).search).toBe("");
    expect(await isFocused()).toBe(true);

    const linked = await dashboard.open(`${path}?task=4`);
    await linked.page.getByRole("dialog", { name: "Task 4: Move the gateway over" }).waitFor();
    await linked.page.keyboard.press("Escape");
    await linked.page.getByRole("dialog").waitFor({ state: "detached" });
    expect(new URL(linked.page.url()).search).toBe("");
    expect([...problems, ...linked.problems]).toEqual([]);
  });

  it("[DASH-381] [DASH-382] each field names its problem, and blockers are chosen by title or number", async () => {
    const { session, path } = await startTasks();
    const { page, problems, findBarriers } = await dashboard.open(path, {
      as: await dashboard.newPerson("Ana"),
    });
    await page.getByRole("link", { name: /Rotate tokens/ }).waitFor();
    await page.keyboard.press("n");
    const dialog = page.getByRole("dialog", { name: "New task" });
    const title = dialog.getByRole("textbox", { name: "Title" });
    await dialog.getByRole("combobox", { name: "Assignee" }).fill("Oak");
    await page.keyboard.press("Enter");
    await dialog.getByText("Enter a title.").waitFor();
    expect(await title.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(await title.getAttribute("aria-invalid")).toBe("true");
    expect(await findBarriers()).toEqual([]);
    await title.fill("Announce it");
    await page.keyboard.press("Enter");
    await dialog.getByText(/No single team or peer is called "Oak". Enter one of .*Birch/).waitFor();
    await dialog.getByRole("combobox", { name: "Assignee" }).fill("Birch");

    const picker = dialog.getByRole("combobox", { name: "Blocked by" });
    await picker.fill("gateway");
    await dialog.getByRole("option", { name: /Move the gateway over/ }).waitFor();
    expect(await findBarriers()).toEqual([]);
    await page.keyboard.press("Enter");
    await picker.fill("5");
    await dialog.getByRole("option", { name: /Delete the old issuer/ }).click();
    await dialog.getByRole("button", { name: "Remove task 4" }).click();
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    const added = await dashboard.rest.call("get_task", { session_id: session.sessionId, task: 6 });
    expect(added).toMatchObject({ title: "Announce it", assignee: "Birch", blocked_by: [5] });

    await page.getByRole("link", { name: /Announce it/ }).click();
    await page.getByRole("dialog", { name: "Task 6: Announce it" }).waitFor();
    await page.keyboard.press("e");
    const edit = page.getByRole("dialog", { name: "Edit task 6" });
    await edit.getByRole("textbox", { name: "Labels" }).fill("news, docs");
    await edit.getByRole("button", { name: "Remove task 5" }).click();
    await page.keyboard.press("Enter");
    await edit.waitFor({ state: "detached" });
    const edited = await dashboard.rest.call("get_task", { session_id: session.sessionId, task: 6 });
    expect(edited).toMatchObject({ labels: ["news", "docs"], blocked_by: [], state: "open" });
    expect(problems).toEqual([]);
  });

  it("[DASH-383] a task moves between columns by dragging, by its menu and by a key, and a refused move says why", async () => {
    const { path } = await startTasks();
    const { page, problems, findBarriers } = await dashboard.open(path, {
      as: await dashboard.newPerson("Ana"),
    });
    const column = (name: string) => page.getByRole("region", { name: new RegExp(`^${name}`) });
    const outcome = page.getByRole("status").filter({ hasText: /^Task \d+ / });
    const rotate = page.getByRole("link", { name: /Rotate tokens/ });
    await column("Claimed")
      .getByRole("link", { name: /Rotate tokens/ })
      .waitFor();
    await rotate.dragTo(column("Blocked").getByRole("heading"));
    await expect.poll(() => outcome.textContent()).toMatch(/^Task 1 stays in Claimed\. .*waits for others/);
    await rotate.dragTo(column("Open").getByRole("heading"));
    await column("Open")
      .getByRole("link", { name: /Rotate tokens/ })
      .waitFor();
    await expect.poll(() => outcome.textContent()).toBe("Task 1 is now in Open.");

    await rotate.focus();
    await page.keyboard.press("m");
    const menu = page.getByRole("dialog", { name: "Move task 1" });
    await menu.getByText(/A task is blocked while it waits for others/).waitFor();
    expect(await findBarriers()).toEqual([]);
    await menu.getByRole("button", { name: "Claim for me" }).focus();
    await page.keyboard.press("Enter");
    await column("Claimed")
      .getByRole("link", { name: /Rotate tokens/ })
      .waitFor();
    await expect.poll(() => outcome.textContent()).toBe("Task 1 is now in Claimed, held by Ana.");
    await expect.poll(() => rotate.evaluate((element) => element === document.activeElement)).toBe(true);

    await page.getByRole("button", { name: "Move task 1" }).click();
    await menu.getByRole("button", { name: "Move to Done" }).click();
    await page.getByRole("button", { name: "Done 2" }).waitFor();
    await column("Open")
      .getByRole("link", { name: /Test the rotation/ })
      .waitFor();
    expect(problems).toEqual([]);
  });

  it("[DASH-419] where there are more tasks than one page has, the page says how many it shows", async () => {
    const session = await createTestSession(dashboard.rest, "Split everything");
    const me = { session_id: session.sessionId, team_id: session.convener };
    await dashboard.rest.call("create_task", { ...me, title: "Part 0" });
    for (let task = 1; task <= 26; task += 1) {
      const parts = Array.from({ length: 20 }, (_, index) => ({ title: `Part ${task}.${index}` }));
      await dashboard.rest.call("split_task", { ...me, task, parts });
    }
    const path = `/sessions/${session.slug}/tasks`;
    const { page, problems } = await dashboard.open(path, { as: await dashboard.newPerson("Ana") });
    const note = page.getByText("Showing 500 of 521 unfinished tasks, the oldest first");
    for (const view of ["Board", "List", "Dependencies"]) {
      await page.getByRole("radio", { name: view }).check();
      await note.waitFor();
    }
    await page.getByRole("button", { name: "New task" }).click();
    const dialog = page.getByRole("dialog", { name: "New task" });
    await dialog.getByRole("combobox", { name: /Blocked by/ }).click();
    await dialog.getByText("Showing 500 of 521 unfinished tasks").waitFor();
    expect(problems).toEqual([]);
    // The page of all tasks, which other tests open, lists those of open sessions.
    await dashboard.rest.call("conclude_session", { ...me, summary_section: "Split." });
  });

  it("[DASH-200] [DASH-203] the tasks and all that opens over them have no barriers, in light, dark and by touch", {
    tags: "long",
  }, async () => {
    const { path } = await startTasks();
    const as = await dashboard.newPerson("Ana");
    const { page } = await dashboard.open(path, { as, reducedMotion: "reduce" });
    const inspector = await openInspector(page);
    const found: string[] = [];
    // Twice, because each call checks one of two variants.
    const inspect = async (part?: string) => {
      for (const _variant of [1, 2]) found.push(...(await inspector.inspect(part)));
    };
    await page.getByRole("button", { name: "Done 1" }).click();
    await page.getByRole("link", { name: /Write down/ }).waitFor();
    await inspect();
    await page.getByRole("button", { name: "Move task 1" }).click();
    await page.getByRole("dialog", { name: "Move task 1" }).waitFor();
    await inspect("[data-slot=popover-content]");
    await page.keyboard.press("Escape");
    for (const view of ["List", "Dependencies"]) {
      await page.getByRole("radio", { name: view }).check();
      await page.getByRole("link", { name: /4\s*Move the gateway over/ }).waitFor();
      await inspect();
    }
    await page.getByRole("link", { name: /4\s*Move the gateway over/ }).click();
    await page.getByRole("button", { name: "Edit" }).waitFor();
    await inspect("dialog[open]");
    await page.keyboard.press("e");
    const edit = page.getByRole("dialog", { name: "Edit task 4" });
    await edit.getByRole("combobox", { name: "Blocked by" }).fill("issuer");
    await edit.getByRole("option", { name: /Delete the old issuer/ }).waitFor();
    await inspect("dialog[data-slot=dialog-content][open]");
    expect(found).toEqual([]);
  });

  it("[DASH-384] the address contains the filter, and done tasks are folded and newest first", async () => {
    const { session, path, atlas } = await startTasks();
    const { page, problems, findBarriers } = await dashboard.open(path);
    const cards = page.locator("[data-task]");
    await expect.poll(() => cards.count()).toBe(4);
    await page.getByRole("combobox", { name: "Label" }).selectOption("auth");
    await page.getByText("1 of 4 tasks").waitFor();
    expect(new URL(page.url()).search).toBe("?label=auth");
    await page.getByRole("searchbox", { name: "Find a task" }).fill("nothing like it");
    await page.getByText("0 of 4 tasks").waitFor();
    await page.getByRole("button", { name: "Clear filters" }).click();
    await expect.poll(() => cards.count()).toBe(4);
    expect(new URL(page.url()).search).toBe("");
    await page.getByRole("radio", { name: "Ready" }).check();
    await page.getByText("0 of 4 tasks").waitFor();

    await dashboard.rest.call("finish_task", { ...atlas, task: 1 });
    const other = await dashboard.open(`/sessions/${session.slug}/tasks?assignee=Birch&show=ready&done=1`);
    await other.page.getByText("1 of 3 tasks").waitFor();
    const names = () => other.page.getByRole("region", { name: /^Done/ }).getByRole("link").allTextContents();
    await expect.poll(names).toEqual([]);
    await other.page.getByRole("button", { name: "Clear filters" }).click();
    await expect.poll(async () => (await names()).map((each) => each.slice(0, 1))).toEqual(["1", "2"]);
    await other.page.getByRole("button", { name: "Done 2" }).click();
    await expect.poll(names).toEqual([]);
    expect(await findBarriers()).toEqual([]);
    expect([...problems, ...other.problems]).toEqual([]);
  });

  it("[TASK-18] [DASH-384] the palette finds a task that it has not read, and the page of all tasks is filtered by its address", {
    tags: "long",
  }, async () => {
    const { session, atlas } = await startTasks();
    const { rest } = dashboard;
    for (let index = 0; index < 100; index++)
      await rest.call("create_task", { ...atlas, title: `Step ${index}` });
    // The tasks that have not changed for longest come first, so the palette does not know this one.
    await rest.call("create_task", { ...atlas, title: "Polish the zeppelin", labels: ["airship"] });
    const { page, problems, findBarriers } = await dashboard.open("/tasks?label=airship");
    await page.getByRole("link", { name: /Polish the zeppelin/ }).waitFor();
    expect(await page.getByRole("link", { name: /Step 1/ }).count()).toBe(0);
    expect(await findBarriers()).toEqual([]);
    const field = await openPalette(page);
    await field.fill("zeppelin");
    await page.getByRole("option", { name: /Polish the zeppelin/ }).click();
    await page.getByRole("dialog", { name: "Task 106: Polish the zeppelin" }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/sessions/${session.slug}/tasks`);
    expect(problems).toEqual([]);
  });

  it("[DASH-385] the dependencies of unfinished tasks are drawn with their critical path", async () => {
    const { path } = await startTasks();
    const { page, problems, findBarriers } = await dashboard.open(`${path}?view=order`);
    const critical = page.getByRole("list", { name: "Critical path" });
    await page.getByRole("heading", { name: "Critical path: 4 tasks" }).waitFor();
    expect(await critical.getByRole("link").allTextContents()).toEqual(["1", "3", "4", "5"]);
    expect(await page.getByRole("link", { name: /Write down/ }).count()).toBe(0);
    expect(await findBarriers()).toEqual([]);
    await critical.getByRole("link", { name: "4" }).click();
    await page.getByRole("dialog", { name: "Task 4: Move the gateway over" }).waitFor();
    expect(problems).toEqual([]);
  });
});
