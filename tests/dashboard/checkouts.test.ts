import { describe, expect, it } from "vitest";
import { createTestSession } from "../kit/session.js";
import { phone, testDashboard } from "./open-dashboard.js";

const dashboard = testDashboard();

describe("where agents work", { tags: "chromium" }, () => {
  it("[CHECKOUT-4] stands on the Agents page, also on a phone, and in the task, with its pull request", async () => {
    const { rest } = dashboard;
    const session = await createTestSession(rest, "Rotate the keys");
    const { sessionId: session_id } = session;
    const birch = { session_id, team_id: (await session.join("Birch")).credential };
    const { task } = await rest.call("create_task", { ...birch, title: "Rotate the tokens" });
    await rest.call("claim_task", { ...birch, task });
    const pull_request = "https://github.com/acme/app/pull/7";
    const report = (added: number, branch = "tokens") =>
      rest.call("report_checkout", {
        ...birch,
        checkout: {
          ...{ repository: "github.com/acme/app", branch, worktree: null, base: "origin/main" },
          ...{ files: 3, added, removed: 2, pull_request },
        },
      });
    await report(40);
    const as = await dashboard.newPerson("Ana");
    const { page, problems, findBarriers } = await dashboard.open("/agents", { as });
    const row = page.getByRole("row", { name: /Birch/ });
    await row.getByText("app / tokens").waitFor();
    await row.getByText("+40").waitFor();
    expect(await row.getByRole("link", { name: "pull request #7" }).getAttribute("href")).toBe(pull_request);
    expect(await findBarriers()).toEqual([]);

    const sheet = await dashboard.open(`/sessions/${session.slug}/tasks?task=${task}`, { as, ...phone });
    const details = sheet.page.getByRole("dialog", { name: /^Task 1/ });
    await details.getByText("app / tokens").waitFor();
    // The next report appears without a reload.
    await report(41);
    await details.getByText("+41").waitFor();
    expect(await sheet.findBarriers()).toEqual([]);
    const agents = await dashboard.open("/agents", { as, ...phone });
    await agents.page.getByRole("listitem").getByText("app / tokens").waitFor();
    expect(await agents.findBarriers()).toEqual([]);

    // The Agents page, too, shows a new report without a reload. The end of a long branch stays visible, also in a narrow window.
    await report(42, "feature/rotate-every-token-of-every-client/in-the-gateway");
    for (const width of [1280, 800]) {
      await page.setViewportSize({ width, height: 800 });
      const end = row.getByText("in-the-gateway", { exact: true });
      await end.waitFor();
      const cell = await row.getByRole("cell").nth(1).boundingBox();
      const box = await end.boundingBox();
      expect(box?.width).toBeGreaterThan(40);
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual((cell?.x ?? 0) + (cell?.width ?? 0));
    }
    expect(problems).toEqual([]);
  });
});
