import { expect, it } from "vitest";
import { callBroker } from "../../test-kit/api.js";
import { setUpSharedMerkle } from "../../test-kit/shared-merkle.js";

const merkle = setUpSharedMerkle();

it("[CLI-13] merkle agents shows those at work in all sessions, who is blocked first, and counts who is away", async () => {
  const busy = await callBroker(merkle, "create_session", { title: "Busy", creator_team_name: "Birch" });
  const stuck = await callBroker(merkle, "create_session", { title: "Stuck", creator_team_name: "Cedar" });
  const summary = "writes the tests";
  await callBroker(merkle, "set_summary", { session_id: busy.slug, summary }, busy.team_id);
  const reason = "needs a key";
  await callBroker(
    merkle,
    "set_status",
    { session_id: stuck.slug, status: "blocked", reason },
    stuck.team_id,
  );
  const rows = (await merkle.run(["agents"])).stdout.split("\n");
  const at = (team: string) => rows.findIndex((row) => row.includes(team));
  expect(rows[at("Cedar")]).toMatch(/^◆ Cedar +stuck +blocked \d+s "needs a key"/);
  expect(rows[at("Birch")]).toMatch(/^[●◐] Birch +busy +.*writes the tests/);
  expect(at("Cedar")).toBeLessThan(at("Birch"));
  const { agents } = JSON.parse((await merkle.run(["agents", "--json"])).stdout);
  expect(agents).toContainEqual(expect.objectContaining({ session: "busy", team: "Birch" }));
});
