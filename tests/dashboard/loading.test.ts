import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { createTestSession } from "../kit/session.js";
import { testDashboard } from "./open-dashboard.js";

const dashboard = testDashboard();

describe("what a page loads", { tags: "chromium" }, () => {
  it("[DASH-395] before any script has loaded a page shows its title, the navigation and a skeleton", async () => {
    const noScripts = (page: Page) => page.route("**/*.js", (route) => route.abort());
    for (const [path, title] of [
      ["/", "Sessions"],
      ["/needs-you", "Needs you"],
      ["/agents", "Agents"],
      ["/tasks", "Tasks"],
      ["/settings", "Settings"],
    ] as const) {
      const { page } = await dashboard.open(path, { before: noScripts });
      await page.getByRole("main").getByRole("heading", { level: 1, name: title }).waitFor();
      expect(await page.title()).toContain(title);
      await page
        .locator("main :is([data-slot=skeleton], [aria-busy=true])")
        .filter({ visible: true })
        .first()
        .waitFor();
      await page.getByRole("navigation", { name: "Main" }).first().waitFor();
    }
    const { page } = await dashboard.open("/sessions/any", { before: noScripts });
    await page.getByRole("status", { name: "Loading session" }).waitFor();
  });

  it("[DASH-252] what lies behind a row is loaded when it is pointed at, and not before", async () => {
    const session = await createTestSession(dashboard.rest, "Loaded ahead");
    const { page, problems } = await dashboard.open("/settings");
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page.goto(new URL("/", page.url()).href);
    const link = page.getByRole("main").getByRole("link", { name: "Loaded ahead" });
    await link.waitFor();
    const ofSession = () => asked.filter((path) => path.startsWith(`/sessions/${session.slug}`));
    expect(ofSession()).toEqual([]);
    await link.hover();
    await expect.poll(() => ofSession().length).toBeGreaterThan(0);
    expect(problems).toEqual([]);
  });
});
