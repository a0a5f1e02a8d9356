import { hash, randomBytes } from "node:crypto";
import { toDeviceId } from "@merkle/wire/identity";
import type { Locator } from "playwright-core";
import { describe, expect, it } from "vitest";
import { createTestSession } from "../kit/session.js";
import { connectTestDatabase } from "../kit/test-database.js";
import { phone, testDashboard } from "./open-dashboard.js";
import { left, makeOlder, stageAgents } from "./silent-mesh.js";

const dashboard = testDashboard();

describe("what needs a person, of many agents", { tags: "chromium" }, () => {
  it("[DASH-371] a command is in the detail with what stands out in it, allowed or denied there, and nothing is called safe", async () => {
    const { rest } = dashboard;
    const session = await createTestSession(rest, "Clean up");
    const as = await dashboard.newPerson("Ana");
    const device = toDeviceId(as, (bytes) => hash("sha256", bytes, "buffer")) ?? "";
    const agent = { session_id: session.sessionId, team_id: session.convener };
    const ask = (command: string) =>
      rest.call("ask_approval", {
        ...{ ...agent, devices: [device], tool: "Bash", input: JSON.stringify({ command }) },
        ...{ folder: "/home/ana/work", salt: randomBytes(32).toString("hex") },
      });
    const first = await ask("rm -rf dist && curl https://prod.example/done");
    const { page, problems, findBarriers } = await dashboard.open("/needs-you", { as });
    const detail = page.getByRole("region", { name: "Detail" });
    await detail.getByText("rm -rf dist").waitFor();
    expect(await detail.locator("mark").allTextContents()).toEqual([
      "rm",
      "curl",
      "https://prod.example/done",
    ]);
    for (const kind of ["Destructive", "Network access", "Production"])
      await detail.getByText(kind).waitFor();
    await detail.getByText("Only well-known patterns are marked. Read the whole command.").waitFor();
    expect(await detail.getByText(/safe|harmless/i).count()).toBe(0);
    expect(await findBarriers()).toEqual([]);
    await page.getByRole("button", { name: `Review approval ${first.approval}` }).click();
    await detail.getByRole("button", { name: "Deny…" }).click();
    await detail.getByRole("button", { name: "Deny", exact: true }).click();
    await page.getByText("You're all caught up").waitFor();
    const answered = { ...agent, approval: first.approval };
    expect(await rest.call("wait_for_approval", answered)).toMatchObject({ state: "denied" });
    expect(problems).toEqual([]);
  });

  it("[DASH-405] [DASH-406] a row shows the first line of its command, and a decision is confirmed and opens no other", async () => {
    const { rest } = dashboard;
    const session = await createTestSession(rest, "Tidy up");
    const as = await dashboard.newPerson("Ana");
    const device = toDeviceId(as, (bytes) => hash("sha256", bytes, "buffer")) ?? "";
    const agent = { session_id: session.sessionId, team_id: session.convener };
    const ask = (command: string) =>
      rest.call("ask_approval", {
        ...{ ...agent, devices: [device], tool: "Bash", input: JSON.stringify({ command }) },
        ...{ folder: "/home/ana/work", salt: randomBytes(32).toString("hex") },
      });
    const birch = { ...agent, team_id: (await session.join("Birch")).credential };
    await rest.call("set_status", { ...birch, status: "blocked", reason: "needs an account" });
    const question = { text: "Which account?", kind: "ask" as const, options: ["shared", "own"] };
    await rest.call("post_message", { ...birch, content: question, to: "@humans" });
    await ask("rm -rf build \u202e\nls");
    await ask("make");
    const { page, problems, findBarriers } = await dashboard.open("/needs-you", { as });
    const rows = page.getByRole("list", { name: "Needs you" }).getByRole("listitem");
    await rows.filter({ hasText: "Birch is blocked and asks Which account?" }).waitFor();
    await rows.filter({ hasText: "Atlas asks to use Bash rm -rf build \\u202e …" }).waitFor();
    await rows.filter({ hasText: "Atlas asks to use Bash make" }).waitFor();
    expect(await rows.count(), "blocked and asking is one item").toBe(3);

    const detail = page.getByRole("region", { name: "Detail" });
    await detail.getByText("needs an account").waitFor();
    await detail.getByRole("button", { name: "shared" }).click();
    const status = page.getByRole("status").filter({ hasText: "Answered Birch: shared" });
    await status.waitFor();
    const shown = await status.getByRole("link", { name: "Show message" }).getAttribute("href");
    expect(shown).toMatch(new RegExp(`^/sessions/${session.slug}\\?m=\\d+$`));
    await rest.call("set_status", { ...birch, status: "working" });
    await page.getByText("Select an item to see it here.").waitFor();
    expect(await detail.count(), "the next item opens only on request").toBe(0);
    expect(await findBarriers()).toEqual([]);
    await expect.poll(() => page.evaluate("document.activeElement.ariaLabel")).toBe("Needs you");

    await rows
      .filter({ hasText: "rm -rf build" })
      .getByRole("button", { name: /^Review approval/ })
      .click();
    await detail.getByRole("button", { name: "Allow once" }).click();
    await page.getByText("Allowed once: rm -rf build \\u202e …").waitFor();
    await page.getByText("Select an item to see it here.").waitFor();
    expect(await rows.count()).toBe(1);
    await page.keyboard.press("j");
    await detail.getByRole("button", { name: "Deny…" }).click();
    await detail.getByRole("button", { name: "Deny", exact: true }).click();
    await page.getByText("You're all caught up").waitFor();
    await page.getByText("Denied: make").waitFor();
    expect(problems).toEqual([]);
  });

  it("[DASH-370] [DASH-372] twenty minutes after thirty agents fell silent the page has five lines, the badge counts what a person settles, and all of it is done with at once", {
    tags: "long",
  }, async () => {
    const { broker, rest } = dashboard;
    await stageAgents(rest);
    await broker.restartAfter(() => makeOlder(connectTestDatabase(broker.databaseUrl), 20));
    const count = async () => (await rest.call("list_attention", {})).kinds;
    await expect
      .poll(count, { timeout: 60_000 })
      .toEqual(expect.arrayContaining([{ kind: "handed_back", count: left.tasks }]));
    const as = await dashboard.newPerson("Bo");
    const { page, problems, findBarriers } = await dashboard.open("/needs-you", { as });
    const list = page.getByRole("list", { name: "Needs you" });
    await list.getByText(`${left.tasks} tasks were handed back`).waitFor();
    const lines = () => list.getByRole("listitem").allTextContents();
    expect((await lines()).length).toBeLessThanOrEqual(5);
    expect((await lines())[0]).toContain("is blocked");
    await list.getByText(`${left.asks} questions have no answer`).waitFor();
    await expect.poll(() => page.title()).toMatch(new RegExp(`^\\(${left.blocked + left.asks}\\) `));
    expect(await findBarriers()).toEqual([]);

    const returned = list.getByRole("button", { name: /tasks were handed back/ });
    await returned.click();
    expect(new URL(page.url()).searchParams.get("open")).toBe("handed_back");
    await expect.poll(() => countLines(list)).toBeGreaterThan(left.tasks);
    await returned.click();
    await list.getByRole("checkbox", { name: /tasks were handed back/ }).check();
    const actions = page.getByRole("toolbar", { name: "Selected items" });
    await actions.getByText(`${left.tasks} selected`).waitFor();
    await actions.getByRole("button", { name: "Done" }).click();
    await returned.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Undo" }).click();
    await returned.waitFor();
    await page.keyboard.press("x");
    await actions.getByRole("button", { name: /^Select all/ }).click();
    await actions.getByRole("button", { name: "Done with all" }).click();
    await page.getByText("You're all caught up").waitFor();

    await page.goto(`${broker.url}/agents`);
    const { agents } = await rest.call("list_agents", {});
    await page.getByText(`${agents.length} offline`, { exact: true }).waitFor();
    const narrow = await dashboard.open("/needs-you", { as: await dashboard.newPerson("Cy"), ...phone });
    await narrow.page.getByText(`${left.tasks} tasks were handed back`).waitFor();
    expect(await narrow.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    expect(await narrow.findBarriers()).toEqual([]);
    expect([...problems, ...narrow.problems]).toEqual([]);
  });
});

function countLines(list: Locator): Promise<number> {
  return list.getByRole("listitem").count();
}
