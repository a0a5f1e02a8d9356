import { expect, it } from "vitest";
import { testDashboard } from "./open-dashboard.js";

const dashboard = testDashboard();

it.skipIf(dashboard.isMissing)(
  "[DASH-280] where everybody is let in, a link leads into another mesh, and Settings says which this is and opens the others",
  async () => {
    const { broker, rest } = dashboard;
    await rest.call("create_mesh", { name: "second" });
    const inSecond = { "content-type": "application/json", "x-merkle-mesh": "second" };
    const body = JSON.stringify({ title: "In second", creator_team_name: "Atlas" });
    const made = await fetch(`${broker.url}/api/sessions`, { method: "POST", headers: inSecond, body });
    expect(made.status).toBe(200);

    const { page, problems } = await dashboard.open("/sessions/in-second?mesh=second");
    await page.getByRole("heading", { name: "In second" }).waitFor();
    await page.goto(`${broker.url}/settings`);
    const meshes = page.getByRole("list", { name: "Meshes" });
    const second = meshes.getByRole("listitem").filter({ hasText: "second" });
    await second.getByText("this browser").waitFor();
    await second.getByText("1 session, 1 agent online").waitFor();
    await meshes.getByRole("button", { name: "Open main" }).click();
    await page.waitForURL(`${broker.url}/`);
    await page.goto(`${broker.url}/settings`);
    await meshes.getByRole("listitem").filter({ hasText: "main" }).getByText("this browser").waitFor();
    expect(problems).toEqual([]);
  },
);
