import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toAuditKeyId } from "@merkle/wire/record";
import { expect, it, onTestFinished } from "vitest";
import { noteCrypto, noteSigners, witnessVectors } from "../../../../../tests/kit/witness-vectors.js";
import { findSeenLog, findSeenOrigin, replaceSeenLog } from "./seen-logs.js";

const { name: origin, publicKey } = noteSigners.log.key;
const keys = [
  {
    key_id: toAuditKeyId(publicKey, noteCrypto.sha256),
    public_key: Buffer.from(publicKey).toString("base64url"),
    since: "2026-05-02T14:05:00.000Z",
    previous: null,
    succession: null,
  },
];
const first = { note: witnessVectors.checkpoint_3, keys, cosigned_at: null, compared_at: null };
const second = { ...first, note: witnessVectors.checkpoint_5_cosigned, cosigned_at: 1795960980 };

async function makeHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), "merkle-checkpoints-"));
  onTestFinished(() => rm(home, { recursive: true }));
  return home;
}

it("[WITNESS-23] of processes that store a checkpoint at once, exactly one succeeds, and none goes back", async () => {
  const home = await makeHome();
  expect(findSeenLog(home, origin)).toBeNull();
  expect(await replaceSeenLog(home, null, first)).toBe(true);
  const results = await Promise.all(Array.from({ length: 4 }, () => replaceSeenLog(home, first, second)));
  expect(results.filter(Boolean)).toHaveLength(1);
  expect(await replaceSeenLog(home, null, first)).toBe(false);
  expect(await replaceSeenLog(home, first, first)).toBe(false);
  expect(findSeenLog(home, origin)).toEqual(second);
  expect(findSeenOrigin(home, origin.split("/")[1] ?? "")).toBe(origin);
  expect(findSeenOrigin(home, "another mesh")).toBeNull();
  const path = join(home, "seen-logs.json");
  expect((await stat(path)).mode & 0o077).toBe(0);

  // A damaged file is not ignored, because that would lose the known checkpoints.
  await writeFile(path, (await readFile(path, "utf8")).replace(origin, "merkle/x/y"));
  expect(() => findSeenLog(home, origin)).toThrow("is not valid");
});
