import { describe, expect, it } from "vitest";
import { createTestSession } from "../kit/session.js";
import { testDashboard } from "./open-dashboard.js";

const dashboard = testDashboard();

describe("what a page loads", { tags: "chromium" }, () => {
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
