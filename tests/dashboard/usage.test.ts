import { describe, expect, it } from "vitest";
import { createTestSession } from "../kit/session.js";
import { phone, testDashboard } from "./open-dashboard.js";

const dashboard = testDashboard();

describe("what agents reported to have used", { tags: "chromium" }, () => {
  it("[USAGE-6] stands in the session's Audit tab by what one chooses by keys, and of all sessions in Settings", async () => {
    const { rest } = dashboard;
    const session = await createTestSession(rest, "Split the auth service");
    const { sessionId: session_id } = session;
    const birch = { session_id, team_id: (await session.join("Birch")).credential };
    await rest.call("create_task", { session_id, team_id: session.convener, title: "Rotate the tokens" });
    await rest.call("claim_task", birch);
    const as = await dashboard.newPerson("Ana");
    const path = `/sessions/${session.slug}/audit`;
    const { page, problems, findBarriers } = await dashboard.open(path, { as });
    const part = page.getByRole("region", { name: "Usage reported by agents" });
    await part.getByText("No usage reported yet.").waitFor();
    const opus = { model: "opus", input_tokens: 12_000, output_tokens: 3_400, cache_read_tokens: 900_000 };
    await rest.call("report_usage", { ...birch, usage: [{ ...opus, cost_usd: 1.25 }] });
    const haiku = { model: "haiku", input_tokens: 100, output_tokens: 10 };
    await rest.call("report_usage", { session_id, team_id: session.convener, usage: [haiku] });
    // The new usage appears without a reload.
    await part.getByRole("row", { name: /^Birch 12,000 3,400 900,000 0 \$1.25$/ }).waitFor();
    await part.getByRole("row", { name: /^Atlas 100 10 0 0 unknown$/ }).waitFor();
    await part.getByRole("row", { name: /^Total 12,100 3,410 900,000 0 over \$1.25$/ }).waitFor();
    expect(await findBarriers()).toEqual([]);

    await part.getByRole("radio", { name: "Team" }).focus();
    for (const _ of ["peer", "task"]) await page.keyboard.press("ArrowRight");
    await part.getByRole("link", { name: "1 Rotate the tokens" }).press("Enter");
    await page.getByRole("dialog", { name: /^Task 1/ }).waitFor();
    expect(problems).toEqual([]);

    const settings = await dashboard.open("/settings#usage", { as, ...phone });
    const all = settings.page.getByRole("region", { name: "Reported usage" });
    await all.getByRole("link", { name: "Split the auth service" }).waitFor();
    expect(await settings.page.evaluate("document.documentElement.scrollWidth")).toBe(phone.viewport.width);
    expect(await settings.findBarriers()).toEqual([]);
  });

  it("[USAGE-5] budgets are set in the session's menu, and one that is nearly used up needs you", {
    tags: "long",
  }, async () => {
    const { rest } = dashboard;
    const session = await createTestSession(rest, "Q3 pricing");
    const { sessionId: session_id } = session;
    const as = await dashboard.newPerson("Ana");
    const { page } = await dashboard.open(`/sessions/${session.slug}`, { as });
    await page.getByRole("button", { name: "More about this session" }).click();
    await page.getByRole("button", { name: "Budgets…" }).click();
    const dialog = page.getByRole("dialog", { name: "Budgets" });
    await dialog.getByRole("spinbutton", { name: "Tokens used by all agents" }).fill("1000");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    const usage = [{ model: "opus", input_tokens: 900, output_tokens: 0 }];
    await rest.call("report_usage", { session_id, team_id: session.convener, usage });
    const index = await dashboard.open("/", { as });
    const item = index.page.getByRole("listitem").filter({ hasText: "A token budget is nearly used up" });
    await item.getByText(/900 of 1,000 tokens/).waitFor();
    await item.getByRole("button", { name: "Resume" }).click();
    await item.waitFor({ state: "detached" });
  });
});

describe("what changed since one was here", { tags: "chromium" }, () => {
  it("[BRIEF-6] stands on the first page for all one's sessions, opens by keys, and leads to each line", async () => {
    const { rest } = dashboard;
    const as = await dashboard.newPerson("Ana");
    const session = await createTestSession(rest, "Move the gateway");
    const at = { session_id: session.sessionId, team_id: session.convener };
    await rest.call("mark_read", { session_id: session.sessionId, team_id: as });
    const ask = { text: "Which staging key?", kind: "ask" as const, options: ["vault", "new"] };
    await rest.call("post_message", { ...at, to: "@humans", content: ask });
    const { cursor } = await rest.call("post_message", {
      ...at,
      content: { text: "Keep v1 tokens for 30 days", kind: "decision" },
    });
    const { page, problems, findBarriers } = await dashboard.open("/", { as });
    const part = page.getByRole("region", { name: "Since your last visit" });
    await part.getByText("3 things in 1 session").waitFor();
    const toggle = part.getByRole("button", { name: "Show what changed" });
    await toggle.press("Enter");
    await part.getByRole("region", { name: "Decided" }).getByText("Keep v1 tokens").waitFor();
    expect(await findBarriers()).toEqual([]);
    // The first line, the ask, has the focus. The decision is the next line.
    const shown = () => page.evaluate("document.activeElement.innerText");
    await expect.poll(shown).toContain("Which staging key?");
    await page.keyboard.press("j");
    await expect.poll(shown).toContain("Keep v1 tokens");
    await page.keyboard.press("k");
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/sessions/${session.slug}?m=${cursor}`);
    expect(problems).toEqual([]);
  });
});
