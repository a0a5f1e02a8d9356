import { once } from "node:events";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { createServer, request } from "node:http";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { openBundle, withFiles } from "../../../../../tests/record/bundles.js";
import { callBroker } from "../../test-kit/api.js";
import { setUpSharedMerkle } from "../../test-kit/shared-merkle.js";

const merkle = setUpSharedMerkle();
/** No broker listens on this port, so every command that needs a broker fails. */
const nowhere = { env: { MERKLE_URL: "http://127.0.0.1:1" } };

beforeAll(async () => {
  const { team_id } = await callBroker(merkle, "create_session", {
    title: "Split auth",
    creator_team_name: "Atlas",
  });
  const call = { session_id: "split-auth" };
  for (const text of ["one", "two", "three"])
    await callBroker(merkle, "post_message", { ...call, content: { text } }, team_id);
  await callBroker(merkle, "conclude_session", { ...call, summary_section: "Done." }, team_id);
});

const file = (name: string) => join(merkle.home, name);

describe("merkle export and verify", () => {
  it("[CLI-67] [CLI-69] a bundle is written whole, and verified without any broker", async () => {
    expect(await merkle.run(["export", "split-auth", "-o", "split.zip"])).toEqual({
      code: 0,
      stdout: expect.stringMatching(
        /^✓ 4 messages, 1 version, root [0-9a-f]{4}…[0-9a-f]{4} in split\.zip\n$/,
      ),
      stderr: "  check: merkle verify split.zip\n",
    });
    // Only the owner can read the file, because it contains all messages: [EXPORT-2].
    expect((await stat(file("split.zip"))).mode & 0o777).toBe(0o600);
    const verified = await merkle.run(["verify", "split.zip"], nowhere);
    expect(verified).toMatchObject({ code: 0, stderr: "" });
    const [tick, meaning] = verified.stdout.split("\n");
    expect(tick).toBe("✓ Signed only by this broker.");
    expect(verified.stdout).toMatch(/^ {2}4 of 4 match root [0-9a-f]{4}…[0-9a-f]{4}, computed here\.$/m);
    expect(verified.stdout).toMatch(/^ {2}"Split auth", closed, exported \S+Z$/m);
    expect(meaning).toBe(
      "  Unchanged since it was signed. This does not prove that its content is true or complete.",
    );

    const again = await merkle.run(["export", "split-auth", "-o", "split.zip"]);
    expect(again).toMatchObject({ code: 6, stderr: expect.stringContaining("split.zip already exists") });
    const forced = await merkle.run(["export", "split-auth", "-o", "split.zip", "--force", "--json"]);
    expect(forced).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(forced.stdout)).toMatchObject({ file: "split.zip", as: "bundle", size: 4 });
    expect((await readdir(merkle.home)).filter((name) => name.includes("unfinished"))).toEqual([]);
  });

  it("[CLI-70] a changed bundle is named by its first wrong message, with exit code 8", async () => {
    await merkle.run(["export", "split-auth", "-o", "whole.zip"]);
    const bundle = await openBundle(await readFile(file("whole.zip")));
    const feed = (await bundle.text("feed.ndjson")).replace('"text":"two"', '"text":"2wo"');
    await writeFile(file("bad.zip"), await withFiles(bundle, { "feed.ndjson": feed }));
    const told = await merkle.run(["verify", "bad.zip"], nowhere);
    expect(told).toMatchObject({ code: 8, stdout: "" });
    expect(told.stderr).toMatch(/^✗ .*message 2\b/);
    expect(told.stderr).toContain("try: ask the sender for the original export");
    const asJson = await merkle.run(["verify", "bad.zip", "--json"], nowhere);
    expect(JSON.parse(asJson.stderr)).toMatchObject({
      error: { code: "verification_failed", details: { ok: false, findings: expect.any(Array) } },
    });
    await writeFile(file("none.zip"), "not a zip");
    expect(await merkle.run(["verify", "none.zip"], nowhere)).toMatchObject({
      code: 8,
      stderr: expect.stringContaining("none.zip is not a bundle."),
    });
    expect(await merkle.run(["verify", "missing.zip"], nowhere)).toMatchObject({ code: 5 });
  });

  it("[CLI-71] a session is verified like its bundle, and a root that was noted elsewhere is found in it", async () => {
    const verified = await merkle.run(["verify", "split-auth", "--json"]);
    expect(verified).toMatchObject({ code: 0, stderr: "" });
    const { root, ok } = JSON.parse(verified.stdout);
    expect(ok).toBe(true);
    const noted = await merkle.run(["verify", "split-auth", "--message", "2", "--root", root]);
    expect(noted).toMatchObject({ code: 0, stdout: expect.stringContaining("covers messages 1 to 4") });
    const other = await merkle.run(["verify", "split-auth", "--root", "00".repeat(32)]);
    expect(other).toMatchObject({
      code: 8,
      stderr: expect.stringContaining("This feed has never had the root"),
    });
    expect(await merkle.run(["verify", "split-auth", "--root", "9f2c"])).toMatchObject({ code: 2 });
  });

  it("[CLI-72] what was seen is remembered, and a record that does not go on from it is told of loudly", async () => {
    await merkle.run(["export", "split-auth", "-o", "seen.zip"]);
    expect(await merkle.run(["verify", "seen.zip"], nowhere)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("known key (seen on this machine before)"),
    });
    const path = file("seen-heads.json");
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const before = await readFile(path, "utf8");
    const seen = JSON.parse(before);
    const [record] = Object.values<{ head: { root: string } }>(seen.records);
    if (record) record.head.root = "ab".repeat(32);
    await writeFile(path, JSON.stringify(seen));
    try {
      expect(await merkle.run(["verify", "seen.zip"], nowhere)).toMatchObject({
        code: 8,
        stderr: expect.stringContaining("remembered"),
      });
      for (const command of [
        ["seal", "split-auth"],
        ["export", "split-auth", "-o", "again.zip"],
      ])
        expect(await merkle.run(command)).toMatchObject({
          code: 8,
          stderr: expect.stringContaining("THIS RECORD IS NOT THE ONE THAT WAS SEEN HERE BEFORE."),
        });
      await writeFile(path, "{");
      expect(await merkle.run(["verify", "seen.zip"], nowhere)).toMatchObject({ code: 1 });
    } finally {
      await writeFile(path, before);
    }
  });

  it("[CLI-73] tail says loudly that a conclusion does not go on from what was seen", async () => {
    const call = { session_id: "sealed-later" };
    const { team_id } = await callBroker(merkle, "create_session", {
      title: "Sealed later",
      creator_team_name: "Atlas",
    });
    await callBroker(merkle, "post_message", { ...call, content: { text: "one" } }, team_id);
    await merkle.run(["export", "sealed-later", "-o", "later.zip"]);
    const path = file("seen-heads.json");
    const before = await readFile(path, "utf8");
    const seen = JSON.parse(before);
    for (const { head } of Object.values<{ head: { size: number; root: string } }>(seen.records)) {
      if (head.size === 1) head.root = "ab".repeat(32);
    }
    await writeFile(path, JSON.stringify(seen));
    try {
      await callBroker(merkle, "conclude_session", { ...call, summary_section: "Done." }, team_id);
      const tail = await merkle.run(["tail", "sealed-later", "--since", "0", "--until-closed"]);
      expect(tail.stderr).toContain("THIS RECORD IS NOT THE ONE THAT WAS SEEN HERE BEFORE.");
    } finally {
      await writeFile(path, before);
    }
  });

  it("[EXPORT-5] lines and pages go to stdout when they are asked there", { tags: "long" }, async () => {
    const lines = await merkle.run(["export", "split-auth", "--as", "ndjson", "-o", "-"]);
    expect(lines).toMatchObject({ code: 0, stderr: "" });
    expect(
      lines.stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).sequence),
    ).toEqual([1, 2, 3, 4]);
    const page = await merkle.run(["export", "split-auth", "--as", "md"]);
    expect(page).toMatchObject({ code: 0, stdout: expect.stringMatching(/ in split-auth\.md\n$/) });
    expect(await readFile(file("split-auth.md"), "utf8")).toContain("# Split auth\n");
    expect(await merkle.run(["export", "split-auth", "-o", "-", "--json"])).toMatchObject({ code: 2 });
  });
});

describe("merkle import", () => {
  it("[IMPORT-3] [CLI-68] brings a bundle into another mesh, once, and refuses one that does not verify", async () => {
    await merkle.run(["export", "split-auth", "-o", "to-import.zip"]);
    await merkle.run(["mesh", "create", "archive"]);
    const archive = ["--mesh", "archive"];
    expect(await merkle.run(["import", "to-import.zip", ...archive])).toMatchObject({
      code: 0,
      stdout: '✓ imported "Split auth" as split-auth, 4 messages\n',
      stderr: expect.stringContaining("read it: merkle --mesh archive show split-auth"),
    });
    expect(await merkle.run(["import", "to-import.zip", ...archive])).toMatchObject({
      code: 0,
      stdout: '✓ "Split auth" was already imported as split-auth, 4 messages\n',
    });
    expect(await merkle.run(["verify", "split-auth", ...archive])).toMatchObject({ code: 0 });
    expect(await merkle.run(["import", "to-import.zip"])).toMatchObject({ code: 6 });
    await writeFile(file("bad-import.zip"), "not a zip");
    expect(await merkle.run(["import", "bad-import.zip", ...archive])).toMatchObject({ code: 8 });
  });

  it("[CLI-172] sends nothing of a file that is no bundle, or to a broker that refuses the caller", async () => {
    const { url } = await merkle.readRunFile();
    const requests: string[] = [];
    const server = createServer((incoming, reply) => {
      requests.push(`${incoming.method} ${incoming.url?.split("?")[0]}`);
      const isRefused = incoming.url?.startsWith("/api/meshes");
      if (isRefused) {
        reply.writeHead(403, { "content-type": "application/json" });
        reply.end(JSON.stringify({ error: { code: "forbidden", message: "Observers cannot import." } }));
        return;
      }
      const { method = "GET", headers } = incoming;
      incoming.pipe(
        request(new URL(incoming.url ?? "/", url), { method, headers }, (answer) => {
          reply.writeHead(answer.statusCode ?? 500, answer.headers);
          answer.pipe(reply);
        }),
      );
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const env = { MERKLE_URL: `http://127.0.0.1:${port}` };

    await writeFile(file("no-bundle.zip"), "not a zip");
    for (const [name, code] of [
      ["missing.zip", 5],
      ["no-bundle.zip", 8],
    ] as const)
      expect(await merkle.run(["import", name], { env })).toMatchObject({ code, stdout: "" });
    await merkle.run(["export", "split-auth", "-o", "refused.zip", "--force"]);
    const refused = await merkle.run(["import", "refused.zip"], { env });
    expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining("Observers cannot import.") });
    expect(requests.filter((each) => each.startsWith("POST"))).toEqual([]);
  });
});
