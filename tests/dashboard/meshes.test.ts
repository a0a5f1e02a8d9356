import { expect, it } from "vitest";
import { testDashboard } from "./open-dashboard.js";

const dashboard = testDashboard();

it("[DASH-280] where everybody is let in, a link leads into another mesh, and Settings says which this is and opens the others", {
  tags: ["long", "chromium"],
}, async () => {
  const { broker, rest } = dashboard;
  await rest.call("create_mesh", { name: "second" });
  const inSecond = { "content-type": "application/json", "x-merkle-mesh": "second" };
  const body = JSON.stringify({ title: "In second", creator_team_name: "Atlas" });
  const made = await fetch(`${broker.url}/api/sessions`, { method: "POST", headers: inSecond, body });
  const { team_id } = await made.json();
  // The broker saves a peer's presence with a short delay.
  await expect
    .poll(
      async () => {
        const headers = { "x-merkle-mesh": "second", "x-team-id": team_id };
        await fetch(`${broker.url}/api/sessions/in-second/messages/check`, { headers });
        const { meshes } = await rest.call("list_meshes", {});
        return meshes.map(({ name, peers_online }) => [name, peers_online]);
      },
      { interval: 1_000 },
    )
    .toEqual([
      ["main", 0],
      ["second", 1],
    ]);

  const { page, problems } = await dashboard.open("/sessions/in-second?mesh=second");
  await page.getByRole("heading", { name: "In second" }).waitFor();
  await page.goto(`${broker.url}/settings?part=people`);
  const meshes = page.getByRole("list", { name: "Meshes" });
  const second = meshes.getByRole("listitem").filter({ hasText: "second" });
  await second.getByText("this browser").waitFor();
  await second.getByText(/^1 session, \d agents? online$/).waitFor();
  await meshes.getByRole("button", { name: "Open main" }).click();
  await page.waitForURL(`${broker.url}/`);
  await page.goto(`${broker.url}/settings#meshes`);
  await meshes.getByRole("listitem").filter({ hasText: "main" }).getByText("this browser").waitFor();
  expect(problems).toEqual([]);
});
