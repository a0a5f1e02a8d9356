import { execFile } from "node:child_process";
import { chmod, chown, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { type TestMerkle, testMerkle } from "../test-kit/merkle.js";

const plain = ["setpriv", "--reuid=1235", "--regid=1235", "--clear-groups"];

/** Runs the command that the error message suggests as a fix. */
async function mend({ stderr }: { readonly stderr: string }): Promise<void> {
  const command = /Run: (.+)/.exec(stderr)?.[1];
  await promisify(execFile)("sh", ["-c", command ?? "false"]);
}

/** Permissions that would let other users act as this home's user or control the broker. */
const openings: readonly (readonly [string, (home: string) => Promise<unknown>])[] = [
  ["the home may be written by everybody", (home) => chmod(home, 0o777)],
  ["the audit key may be read", (home) => put(home, "audit-key.json", 0o644)],
  ["the configuration may be written", (home) => put(home, "config.json", 0o666)],
  ["a member's key may be read", (home) => put(home, "members/one.json", 0o644)],
  [
    "the folder of persons may be listed",
    (home) => mkdir(join(home, "persons")).then(() => chmod(join(home, "persons"), 0o755)),
  ],
  ["a stored peer's credential may be read by a group", (home) => put(home, "teams/one.json", 0o640, 54_321)],
  ["a pin may be written", (home) => put(home, "pins/one.json", 0o622)],
  ["the heads that were seen belong to another user", (home) => put(home, "seen-heads.json", 0o600, 0, 1236)],
  ["a witness's key may be read", (home) => put(home, "witness-key.json", 0o644)],
  ["the configuration belongs to another user", (home) => put(home, "config.json", 0o644, 0, 1236)],
];

async function put(home: string, name: string, mode: number, gid = 0, uid = 0): Promise<void> {
  const path = join(home, name);
  await mkdir(join(path, ".."), { recursive: true, mode: 0o700 });
  await writeFile(path, "{}");
  await chmod(path, mode);
  await chown(path, uid, gid);
}

describe("a home that others have a part in", { tags: "root" }, () => {
  it("[CLI-75] starts no broker and lends no credential: each refusal has the command that mends it", {
    tags: "long",
  }, async () => {
    const merkle = await testMerkle();
    await writeFile(join(merkle.home, "config.json"), "{}");
    for (const [what, open] of openings) {
      await open(merkle.home);
      const [up, post] = await Promise.all([
        merkle.run(["up", "--port", "0", "--detach"]),
        merkle.run(["post", "x", "y"]),
      ]);
      expect(up, what).toMatchObject({ code: 4, stdout: "", stderr: expect.stringContaining("Run: ch") });
      expect(post, what).toMatchObject({ code: 4, stderr: up.stderr });
      await mend(up);
    }
    // No broker has been started. The permissions have been fixed, so the broker could now start.
    expect(await merkle.run(["status"])).toMatchObject({ code: 3 });
  });

  it("[CLI-75] is refused to root where it is somebody else's, and to everybody but its user", async () => {
    const merkle = await testMerkle();
    await chmod(merkle.home, 0o700);
    await chown(merkle.home, 1235, 1235);
    const rootRefused = await merkle.run(["up", "--port", "0"]);
    expect(rootRefused).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("belongs to another user (1235)"),
    });
    const asPlain = (home: TestMerkle) => home.run(["status"], {});
    const theirs = await testMerkle(undefined, undefined, plain);
    await chown(theirs.home, 1236, 1236);
    expect(await asPlain(theirs)).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(/belongs to another user \(1236\)\. Run: sudo chown -h 1235 /),
    });
    await chown(theirs.home, 1235, 1235);
    await chmod(theirs.home, 0o700);
    expect(await asPlain(theirs)).toMatchObject({ code: 3 });
  });
});
