import { expect, it, onTestFinished } from "vitest";
import { makeTestHome } from "../../../../packages/db/src/embedded/test-support.js";
import { saveMember } from "../home/members.js";
import { findOwnTeam } from "./choose-peer.js";

it("[LAUNCH-3] the usual team is named after the member of the mesh, else after the user", async () => {
  const { path: home, remove } = await makeTestHome();
  onTestFinished(remove);
  const meshId = "6385bc23-1baa-4760-bccc-c59ad5f82808";
  const config = { home, personName: "root" };
  expect(await findOwnTeam({ config, meshId })).toBe("root's Team");
  await saveMember(home, {
    broker_id: meshId,
    mesh_id: meshId,
    mesh: "main",
    member_id: meshId,
    name: "Ben",
    role: "member",
    urls: ["http://localhost:1"],
    seed: "A".repeat(43),
    joined_at: new Date().toISOString(),
    token: null,
  });
  expect(await findOwnTeam({ config, meshId })).toBe("Ben's Team");
  expect(await findOwnTeam({ config, meshId: "another" })).toBe("root's Team");
});
