import { expect, it } from "vitest";
import { callBroker } from "../../test-kit/api.js";
import { setUpSharedMerkle } from "../../test-kit/shared-merkle.js";

const merkle = setUpSharedMerkle();

function createSession(title: string) {
  return callBroker(merkle, "create_session", { title, creator_team_name: "Atlas" });
}

it("[CLI-51] merkle state sets, gets, lists and unsets; a value is JSON, or text where it is none", async () => {
  const { slug, team_id: atlas } = await createSession("Facts");
  await callBroker(merkle, "watch_state", { session_id: slug, key: "frozen" }, atlas);
  const env = { MERKLE_SESSION: slug };
  expect((await merkle.run(["state", "set", slug, "frozen", "true"])).stdout).toBe(
    "frozen: none → true   notified 1 peer\n",
  );
  expect((await merkle.run(["state", "set", "frozen", "by Alex"], { env })).stdout).toBe(
    'frozen: true → "by Alex"   notified 1 peer\n',
  );
  expect(
    await merkle.run(["state", "set", slug, "frozen", "-", "--expect", "1"], { input: "[1]" }),
  ).toMatchObject({
    code: 6,
    stdout: "",
  });
  const [got, listed] = await Promise.all([
    merkle.run(["state", "get", slug, "frozen"]),
    merkle.run(["state", "list", slug]),
  ]);
  expect(got).toMatchObject({
    stdout: '"by Alex"\n',
    stderr: expect.stringMatching(/^ {2}v2, .+ \d\d:\d\d\n$/),
  });
  expect(listed.stdout).toMatch(/^frozen {2}"by Alex" {2}v2 {2}.+ \d+[sm] ago\n$/);
  expect((await merkle.run(["state", "unset", slug, "frozen"])).stdout).toBe("✓ frozen deleted, v3\n");
  expect(await merkle.run(["state", "get", slug, "frozen"])).toMatchObject({ code: 5, stdout: "" });
  expect(await merkle.run(["state", "set", slug, "frozen"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("merkle state set <session> <key> <value>"),
  });
});

it("[CLI-52] merkle state watch prints each change as it comes, until Ctrl+C", async () => {
  const { slug, team_id: atlas } = await createSession("Watched facts");
  const set = (key: string, value: unknown) =>
    callBroker(merkle, "set_state", { session_id: slug, key, value }, atlas);
  await set("a/1", "old");
  const watching = merkle.start(["state", "watch", slug, "a/*"]);
  await new Promise<void>((resolve) => {
    watching.process.stderr?.on("data", (chunk: Buffer) => {
      if (chunk.toString().includes("watching")) resolve();
    });
  });
  await set("b", 1);
  await set("a/1", { new: true });
  await watching.waitForOutput("v2 Atlas");
  await callBroker(merkle, "delete_state", { session_id: slug, key: "a/1" }, atlas);
  await watching.waitForOutput("v3 Atlas");
  watching.process.kill("SIGINT");
  const { code, stdout } = await watching.ended;
  expect(code).toBe(130);
  expect(stdout.replaceAll(/\d\d:\d\d/g, "14:05")).toBe(
    '14:05  a/1: "old" → {"new":true}  v2 Atlas\n14:05  a/1: {"new":true} → none  v3 Atlas\n',
  );
});
