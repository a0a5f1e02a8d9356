import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compareCheckpoint, formatFork, formatLogEntry, formatLogProof } from "@merkle/wire/record";
import { expect, it, onTestFinished } from "vitest";
import { madeLogSigner, makeLog } from "../../../../../tests/kit/made-log.js";
import {
  cosignLine,
  noteCrypto,
  noteSigners,
  witnessVectors,
} from "../../../../../tests/kit/witness-vectors.js";
import { zipTexts } from "../../../../../tests/record/bundles.js";
import { makeBundle } from "../../../../../tests/record/made-bundle.js";
import { testMerkle } from "../../test-kit/merkle.js";

it("[WITNESS-34] merkle verify takes a checkpoint with a policy, and the evidence of a fork", async () => {
  const folder = await mkdtemp(join(tmpdir(), "merkle-statement-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const merkle = await testMerkle(onTestFinished);
  const write = (name: string, text: string) => writeFile(join(folder, name), text);
  const verify = (...args: string[]) => merkle.run(["verify", ...args], { cwd: folder });

  await write("policy.txt", witnessVectors.policy);
  await write("cosigned.txt", witnessVectors.checkpoint_5_cosigned);
  const cosigned = await verify("cosigned.txt", "--policy", "policy.txt");
  expect(cosigned).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^✓ Signed by the log, and by as many/),
  });
  expect(cosigned.stdout).toContain("cosigned by ada at 2026-11-29T14:03:00.000Z");
  expect(await verify("cosigned.txt")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--policy"),
  });
  expect(await verify("cosigned.txt", "--policy", "none.txt")).toMatchObject({ code: 5 });

  await write("alone.txt", witnessVectors.checkpoint_3);
  const alone = await verify("alone.txt", "--policy", "policy.txt", "--json");
  expect(alone.code).toBe(10);
  expect(JSON.parse(alone.stdout)).toMatchObject({ size: 3, witnessed: false, cosigned: {} });
  await write("changed.txt", witnessVectors.checkpoint_5_cosigned.replace("\n5\n", "\n6\n"));
  expect(await verify("changed.txt", "--policy", "policy.txt")).toMatchObject({ code: 8 });

  const [honest, forked] = [makeLog(["a", "b", "c"]), makeLog(["a", "x", "c", "d"])];
  const shown = { ...(await forked.sign(4)), consistency: await forked.prove(3, 4) };
  const compared = await compareCheckpoint(await honest.sign(3), shown, noteCrypto);
  if (compared.outcome !== "fork") throw new Error("The fork was not found.");
  await write("fork.json", formatFork(compared.evidence));
  const fork = await verify("fork.json");
  expect(fork).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("One signer signed two histories of merkle/"),
  });
  await write("none.json", formatFork({ ...compared.evidence, later: compared.evidence.earlier }));
  expect(await verify("none.json")).toMatchObject({
    code: 8,
    stderr: expect.stringContaining("proves nothing"),
  });
});

it("[WITNESS-31] [WITNESS-32] merkle verify begins with the signers, and counts the witnesses of a policy", async () => {
  const folder = await mkdtemp(join(tmpdir(), "merkle-witnessed-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const merkle = await testMerkle(onTestFinished);
  const verify = (...args: string[]) => merkle.run(["verify", "record.zip", ...args], { cwd: folder });
  const made = makeBundle({ keys: [madeLogSigner], messages: 12, sealedAt: 9 });
  const head = made.headAt(12);
  const log = makeLog([formatLogEntry({ head: made.headAt(9) }), formatLogEntry({ head })]);
  const { note } = await log.sign();
  const text = await log.describe();
  const now = Math.floor(Date.now() / 1_000);
  const writeProof = async (name: string, lines: readonly string[], index = 1) => {
    const proof = { index, path: await log.includes(index), note: note + lines.join("") };
    await writeFile(join(folder, name), formatLogProof(proof));
  };
  const [ada, ben] = [cosignLine(noteSigners.ada, text, now), cosignLine(noteSigners.ben, text, now)];
  await writeFile(join(folder, "record.zip"), await zipTexts(made.texts));
  await writeFile(join(folder, "policy.txt"), witnessVectors.policy);
  await writeProof("two.txt", [ada, ben]);
  await writeProof("one.txt", [ada]);
  await writeProof("ahead.txt", [ada, cosignLine(noteSigners.ben, text, now + 3_600)]);
  await writeProof("other.txt", [ada, ben], 0);

  expect(await verify()).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^✓ Signed only by a key that is not known here\.\n/),
  });
  const policy = ["--policy", "policy.txt"];
  expect(await verify(...policy)).toMatchObject({
    code: 10,
    stdout: expect.stringContaining("not yet witnessed"),
  });
  expect(await verify(...policy, "--proof", "two.txt")).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^✓ Signed by this broker and 2 witnesses\.\n/),
  });
  const one = await verify(...policy, "--proof", "one.txt", "--json");
  expect([one.code, JSON.parse(one.stdout)]).toMatchObject([10, { witnesses: { cosigned: { ada: now } } }]);
  expect(await verify(...policy, "--proof", "ahead.txt")).toMatchObject({
    code: 10,
    stdout: expect.stringContaining("The signature of ben does not count"),
  });
  expect(await verify(...policy, "--proof", "other.txt")).toMatchObject({ code: 8 });
  expect(await verify(...policy, "--proof", "none.txt")).toMatchObject({ code: 5 });
});
