import { parseTeamCredential } from "@merkle/wire";
import { expect, it } from "vitest";
import { saveStoredPeer } from "../../home/stored-peers.js";
import { callBroker } from "../../test-kit/api.js";
import { setUpSharedMerkle } from "../../test-kit/shared-merkle.js";

const merkle = setUpSharedMerkle();

it("[CLI-54] [CLI-55] merkle remember, recall and forget: keeps, finds, forgets with a reason, and brings back", async () => {
  const kept = await merkle.run(["remember", "-", "--tag", "payments,limits"], {
    input: "Payments API limits at 100 req/s\n",
  });
  expect(kept.stdout).toMatch(/^✓ mem_\d+\n$/);
  const id = kept.stdout.slice(2).trim();
  expect((await merkle.run(["recall", "limit", "--tag", "payments"])).stdout).toMatch(
    new RegExp(`^${id} {2}Payments API «limits» at 100 req/s {2}.+, \\d\\d:\\d\\d {2}payments, limits\\n$`),
  );
  const today = new Date().toISOString().slice(0, 10);
  expect((await merkle.run(["recall", "limit", "--since", today])).stdout).toMatch(`${id} `);
  const unmatched = ["--since=2999-01-01", "--by=No such team"];
  for (const filter of unmatched)
    expect((await merkle.run(["recall", "limit", filter])).stderr).toBe("no results\n");
  expect(await merkle.run(["recall", "limit", "--session", "no-such-session"])).toMatchObject({
    code: 5,
  });
  expect((await merkle.run(["forget", id, "--reason", "lifted"])).stdout).toBe(`✓ ${id} is hidden\n`);
  expect(await merkle.run(["recall", "limit"])).toMatchObject({ stdout: "", stderr: "no results\n" });
  expect((await merkle.run(["recall", "--forgotten"])).stdout).toMatch(/forgotten by .+: lifted\n$/);
  expect((await merkle.run(["forget", id, "--undo"])).stdout).toBe(`✓ ${id} is restored\n`);
});

it("[CLI-55] in an agent's shell, its peer remembers", async () => {
  const made = await callBroker(merkle, "create_session", { title: "Shell", creator_team_name: "Atlas" });
  const { slug, session_id } = made;
  const cedar = await callBroker(merkle, "join_session", {
    ...{ session_id, team_name: "Cedar", peer_name: "cy" },
  });
  const credential = cedar.peer_id ?? "";
  const peer_id = parseTeamCredential(credential)?.teamId ?? "";
  const { mesh_id } = await callBroker(merkle, "get_app_info", {});
  await saveStoredPeer(merkle.home, {
    ...{ mesh_id, session_id, slug, peer_id, credential },
    team_id: parseTeamCredential(cedar.team_id)?.teamId ?? "",
    team_name: "Cedar",
    peer_name: "cy",
    role: null,
    groups: [],
    session_key: null,
    claude_session_id: null,
    folder: null,
    saved_at: new Date().toISOString(),
  });
  const env = { MERKLE_SESSION: slug, MERKLE_TEAM: "Cedar", MERKLE_PEER: peer_id };
  expect(await merkle.run(["remember", "Ask before you post"], { env })).toMatchObject({ code: 0 });
  const { memories } = await callBroker(merkle, "list_memory", { session: slug });
  expect(memories).toMatchObject([{ content: "Ask before you post", rememberedBy: "Cedar/cy" }]);
});
