import { expect, it } from "vitest";
import { callBroker } from "../../test-kit/api.js";
import { setUpSharedMerkle } from "../../test-kit/shared-merkle.js";

const merkle = setUpSharedMerkle();

it("[USAGE-4] merkle usage shows what was reported of a session, or of all, and says so where nothing was", {
  tags: "long",
}, async () => {
  const { slug, team_id } = await callBroker(merkle, "create_session", {
    title: "Costly",
    creator_team_name: "Cedar",
  });
  expect(await merkle.run(["usage", slug])).toMatchObject({
    ...{ code: 0, stdout: "" },
    stderr: expect.stringContaining("no usage reported"),
  });
  const usage = [{ model: "opus", input_tokens: 1_200, output_tokens: 34, cost_usd: 0.5 }];
  await callBroker(merkle, "report_usage", { session_id: slug, usage }, team_id);
  const { stdout } = await merkle.run(["usage", slug, "--by", "model"]);
  expect(stdout).toMatch(/^opus +1,200 +34 +0 +0 +\$0\.50\ntotal +1,200 +34 +0 +0 +\$0\.50$/m);
  const all = JSON.parse((await merkle.run(["usage", "--json"])).stdout);
  expect(all.rows).toContainEqual(expect.objectContaining({ name: "Costly", session: slug }));
  const rest = [{ model: "haiku", input_tokens: 1, output_tokens: 1, cost_usd: 0 }];
  await callBroker(merkle, "report_usage", { session_id: slug, usage: rest }, team_id);
  const limited = await merkle.run(["usage", slug, "--by", "model", "--limit", "1"]);
  expect(limited.stdout).toMatch(/^opus .*\ntotal .*\n1 more row: --limit lists more\n$/);
  expect(await merkle.run(["usage", "--by", "colour"])).toMatchObject({ code: 2 });
});
