import { expect, it } from "vitest";
import { createTestSession } from "../kit/session.js";
import { testDashboard } from "./open-dashboard.js";

const dashboard = testDashboard();

it("[DASH-14] what begins to need a person is announced on every page, an ask at once, and what waited before is not", {
  tags: "chromium",
}, async () => {
  const { rest } = dashboard;
  const session = await createTestSession(rest, "Split the auth service");
  const { sessionId: session_id, convener: team_id } = session;
  const ask = (text: string) =>
    rest.call("post_message", { session_id, team_id, to: "@humans", content: { text, kind: "ask" } });
  await ask("Which region?");
  const { page, problems } = await dashboard.open("/settings", { as: await dashboard.newPerson() });
  await page
    .getByRole("link", { name: /^Needs you\s*1/ })
    .first()
    .waitFor();

  await ask("Which staging key?");
  const assertive = page.locator(".sr-only[aria-live=assertive]");
  await expect
    .poll(() => assertive.textContent())
    .toMatch(/asks.*Which staging key\?.*in Split the auth service/);
  const { credential: cedar } = await session.join("Cedar");
  const blocked = { status: "blocked", reason: "needs the staging key" } as const;
  await rest.call("set_status", { session_id, team_id: cedar, ...blocked });
  const polite = page.getByRole("log", { name: "Announcements" });
  await expect.poll(() => polite.textContent()).toContain("needs the staging key");
  expect(await page.content()).not.toContain("Which region?");
  expect(problems).toEqual([]);
});
