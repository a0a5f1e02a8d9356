import { expect, it, onTestFinished } from "vitest";
import { startS3Server } from "../../../../../tests/kit/s3-server.js";
import { createTestDatabase } from "../../../../../tests/kit/test-database.js";
import { callBroker } from "../../test-kit/api.js";
import { testMerkle } from "../../test-kit/merkle.js";

it("[ARCHIVE-1] [ARCHIVE-2] merkle archive and unarchive move a session away and back, and no command shows the keys", async () => {
  const s3 = await startS3Server();
  const { url, accessKeyId = "", secretAccessKey = "" } = s3.archive;
  const env = {
    MERKLE_ARCHIVE_URL: url,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    DATABASE_URL: await createTestDatabase(),
  };
  const merkle = await testMerkle(onTestFinished);
  expect(await merkle.run(["up", "--port", "0", "--detach"], { env })).toMatchObject({ code: 0 });
  const { team_id } = await callBroker(merkle, "create_session", {
    title: "Split auth",
    creator_team_name: "Atlas",
  });
  expect(await merkle.run(["archive", "split-auth"])).toMatchObject({
    code: 6,
    stderr: expect.stringContaining("merkle conclude split-auth"),
  });
  await callBroker(
    merkle,
    "conclude_session",
    { session_id: "split-auth", summary_section: "Done." },
    team_id,
  );

  expect(await merkle.run(["archive", "split-auth"])).toEqual({
    code: 0,
    stdout: expect.stringMatching(
      /^✓ split-auth is archived: split-auth\/[0-9a-f-]{36}\.zip \(\d\S* kB\), \S+\.rows\.gz \(\S+ (bytes|kB)\)\n$/,
    ),
    stderr: "  restore it: merkle unarchive split-auth\n",
  });
  expect((await merkle.run(["ls", "--state", "all"])).stdout).toContain("archived");
  const shown = (await merkle.run(["show", "split-auth"])).stdout;
  expect(shown).toContain("archived");
  expect(shown, "who spoke last is not known").not.toContain("no messages");
  expect(await merkle.run(["export", "split-auth"])).toMatchObject({
    code: 7,
    stderr: expect.stringContaining("merkle unarchive split-auth"),
  });
  const back = await merkle.run(["unarchive", "split-auth", "--json"]);
  expect(JSON.parse(back.stdout)).toMatchObject({ left: [] });
  expect(await s3.keys()).toEqual([]);
  const settings = await merkle.run(["config", "list", "--local"], { env });
  expect(settings.stdout).toMatch(/archive +set/);
  expect(settings.stdout + settings.stderr).not.toContain("S3RVER");
});
