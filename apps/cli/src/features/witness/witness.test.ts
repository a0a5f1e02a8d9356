import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createCleanup } from "../../../../../tests/kit/cleanup.js";
import { startInviteBroker } from "../../../../../tests/kit/members.js";
import { testMerkle } from "../../test-kit/merkle.js";

const cleanup = createCleanup();

it("[WITNESS-26] [WITNESS-31] a member's machine is a witness, and merkle verify counts it once it has cosigned", async () => {
  const { broker, admin } = await startInviteBroker(cleanup);
  const ada = await testMerkle(cleanup);
  const run = (...args: string[]) => ada.run(args, { env: { MERKLE_URL: broker.url } });
  const { link } = await admin.call("create_invite", {});
  expect(await ada.run(["join", "-", "--name", "Ada"], { input: link })).toMatchObject({ code: 0 });
  for (const words of [
    ["new", "To be sealed", "--slug", "sealed"],
    ["post", "sealed", "hello"],
    ["verify", "sealed"],
  ]) {
    expect(await run(...words)).toMatchObject({ code: 0 });
  }
  const watch = ["witness", "run", "--once", "--broker", broker.url];
  expect(await ada.run(watch)).toMatchObject({ code: 4, stderr: expect.stringContaining("no witnesses") });

  const key = (await run("witness", "key", "--name", "ada.example")).stdout.trim();
  await admin.call("set_witness_policy", { policy: { least: 1, witnesses: [key] } });
  const policy = join(ada.home, "policy.txt");
  await writeFile(policy, (await run("witness", "policy")).stdout);
  const verify = () => run("verify", "sealed", "--policy", policy);
  expect(await verify()).toMatchObject({ code: 10, stdout: expect.stringContaining("not yet witnessed") });
  expect(await ada.run(watch)).toMatchObject({ code: 0, stdout: expect.stringContaining("✓ cosigned ") });
  expect(await verify()).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^✓ Signed by this broker and 1 witness\./),
  });
});
