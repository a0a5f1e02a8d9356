import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { findProcesses } from "../../../../tests/kit/processes.js";
import { testMerkle } from "../test-kit/merkle.js";

it("[INSTALL-11] lists what Merkle stored for a home, asks, and removes that alone, while no broker runs", async ({
  skip,
}) => {
  const merkle = await testMerkle();
  const env = { HOME: join(merkle.home, "user") };
  await mkdir(env.HOME);
  const uninstall = (...more: string[]) => merkle.run(["uninstall", "--data", ...more], { env });

  await merkle.run(["up", "--port", "0", "--detach"], { env, fromNothing: true });
  expect(await uninstall("-y")).toMatchObject({
    code: 6,
    stdout: "",
    stderr: expect.stringMatching(/process \d+\. Nothing was removed\.\n +try: .*merkle down/),
  });
  await merkle.run(["backup", "--out", join(merkle.home, "mine.backup")], { env });
  await merkle.run(["down"], { env });
  await writeFile(join(merkle.home, "notes.txt"), "mine");
  const before = (await readdir(merkle.home)).sort();

  const listed = await uninstall("--dry-run", "--json");
  const { removed, user, kept, dry_run } = JSON.parse(listed.stdout);
  skip(user !== null, "this would remove the system user of a Merkle that is installed here");
  expect(dry_run).toBe(true);
  expect(removed).toEqual(
    expect.arrayContaining([join(merkle.home, "pg"), join(merkle.home, "audit-key.json")]),
  );
  expect(kept).toEqual(expect.arrayContaining([join(merkle.home, "notes.txt"), env.HOME]));
  expect(await uninstall()).toMatchObject({ code: 2, stderr: expect.stringContaining("needs -y") });
  expect((await readdir(merkle.home)).sort()).toEqual(before);

  expect(await uninstall("-y")).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("notes.txt. Merkle did not write it"),
  });
  expect((await readdir(merkle.home)).sort()).toEqual(
    before.filter((name) => kept.includes(join(merkle.home, name))),
  );
  expect(await readFile(join(merkle.home, "notes.txt"), "utf8")).toBe("mine");
  for (const path of removed) await expect(readdir(path)).rejects.toThrow();
  expect(await findProcesses(merkle.home)).toEqual([]);
  expect(await uninstall("-y")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("has stored nothing"),
  });
});

it("[INSTALL-11] refuses a Merkle home that is the user's home, whose files may have the same names", async () => {
  const merkle = await testMerkle();
  await mkdir(join(merkle.home, "backups"));
  expect(await merkle.run(["uninstall", "--data", "-y"])).toMatchObject({
    code: 4,
    stderr: expect.stringContaining("contains more than Merkle's files"),
  });
  expect(await readdir(merkle.home)).toEqual(["backups"]);
});
