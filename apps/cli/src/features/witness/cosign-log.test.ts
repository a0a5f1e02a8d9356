import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkFork, findCosignedAt, formatLogEntry, parseCheckpoint, parseFork } from "@merkle/wire/record";
import { describe, expect, it, onTestFinished } from "vitest";
import { type MadeLog, madeLogKey, madeLogSigner, makeLog } from "../../../../../tests/kit/made-log.js";
import { noteCrypto } from "../../../../../tests/kit/witness-vectors.js";
import { makeBundle, makeKey, signHead } from "../../../../../tests/record/made-bundle.js";
import { checkQuietly } from "./check-quietly.js";
import { type CosignOptions, cosignLog } from "./cosign-log.js";
import type { MeshLog } from "./mesh-log.js";
import { findSeenLog } from "./seen-logs.js";
import { getWitnessKey, type WitnessKey } from "./witness-key.js";

const now = 1_796_000_000;

/** Entries without heads: successors, whose content no witness checks. */
function makeEntries(count: number, changedAt = -1): string[] {
  return Array.from({ length: count }, (_, index) =>
    formatLogEntry({
      key: { ...madeLogKey, since: `${index === changedAt ? 2 : 1}999-01-01T00:00:00.00${index}Z` },
    }),
  );
}

/** A broker that shows the first entries of a log, and records the cosignatures that it gets. */
class ShownLog implements MeshLog {
  readonly cosigned: string[] = [];
  log: MadeLog;
  size: number;
  constructor(log: MadeLog, size = log.entries.length) {
    this.log = log;
    this.size = size;
  }
  async readCheckpoint() {
    const { note, keys } = await this.log.sign(this.size);
    const text = await this.log.describe(this.size);
    const own = this.cosigned.findLast((each) => each.startsWith(text));
    return { note: own ?? note, keys };
  }
  readConsistency(from: number, size: number) {
    return this.log.prove(from, size);
  }
  async readEntries(from: number) {
    return this.log.entries.slice(from, from + 3);
  }
  async readSessionConsistency(): Promise<null> {
    return null;
  }
  async addCosignature(note: string) {
    this.cosigned.push(note);
  }
}

async function makeWitness(): Promise<CosignOptions & { readonly key: WitnessKey }> {
  const home = await mkdtemp(join(tmpdir(), "merkle-witness-"));
  onTestFinished(() => rm(home, { recursive: true }));
  return { home, key: await getWitnessKey(home, "ada"), now };
}

async function readEvidence(home: string) {
  const files = await readdir(join(home, "forks"));
  return Promise.all(files.map(async (file) => parseFork(await readFile(join(home, "forks", file), "utf8"))));
}

describe("a witness", () => {
  it("[WITNESS-25] creates its key once, and keeps the key's name", async () => {
    const { home, key } = await makeWitness();
    const again = await getWitnessKey(home, "another name");
    expect(again.key).toEqual(key.key);
  });

  it("[WITNESS-26] cosigns what it stored, and each later checkpoint that extends it", async () => {
    const witness = await makeWitness();
    const log = new ShownLog(makeLog(makeEntries(9)), 3);
    expect(await cosignLog(log, witness)).toMatchObject({ outcome: "cosigned", size: 3 });
    expect(await cosignLog(log, witness)).toMatchObject({ outcome: "unchanged", size: 3 });
    // A cosignature is repeated so that readers see that the witness runs.
    const later = { ...witness, now: now + 3_600 };
    expect(await cosignLog(log, later)).toMatchObject({ outcome: "cosigned", size: 3 });
    log.size = 9;
    expect(await cosignLog(log, later)).toMatchObject({ outcome: "cosigned", size: 9 });
    const checkpoint = parseCheckpoint(log.cosigned.at(-1) ?? "", noteCrypto.sha256);
    expect(await findCosignedAt(checkpoint, witness.key.key, noteCrypto)).toBe(now + 3_600);
    expect(findSeenLog(witness.home, checkpoint.origin)).toMatchObject({ cosigned_at: now + 3_600 });

    log.size = 4;
    expect(await cosignLog(log, later)).toMatchObject({ outcome: "earlier", size: 4 });
    log.size = 9;
    log.cosigned.length = 0;
    await expect(cosignLog(log, { ...witness, now: now + 10 })).rejects.toThrow("clock");
    expect(log.cosigned).toEqual([]);
  });

  it("[WITNESS-26] cosigns again if it stopped between storing the checkpoint and sending the cosignature", async () => {
    const witness = await makeWitness();
    const log = new ShownLog(makeLog(makeEntries(5)));
    const broken = Object.assign(new ShownLog(log.log), {
      addCosignature: () => Promise.reject(new Error("the broker is gone")),
    });
    await expect(cosignLog(broken, witness)).rejects.toThrow("gone");
    expect(await cosignLog(log, witness)).toMatchObject({ outcome: "cosigned", size: 5 });
  });

  it("[WITNESS-23] of two processes with one home, both cosign only what the home has seen", async () => {
    const witness = await makeWitness();
    const log = makeLog(makeEntries(9));
    const logs = [new ShownLog(log, 4), new ShownLog(log, 9), new ShownLog(log, 4), new ShownLog(log, 9)];
    await Promise.all(logs.map((each) => cosignLog(each, witness)));
    const { note } =
      findSeenLog(witness.home, parseCheckpoint((await log.sign()).note, noteCrypto.sha256).origin) ?? {};
    expect(parseCheckpoint(note ?? "", noteCrypto.sha256).size).toBe(9);
  });

  it("[WITNESS-21] [WITNESS-26] refuses a fork of any size, and stores the evidence", async () => {
    for (const [from, size] of [
      [4, 4],
      [4, 8],
      [5, 9],
    ] as const) {
      const witness = await makeWitness();
      const log = new ShownLog(makeLog(makeEntries(9)), from);
      await cosignLog(log, witness);
      log.log = makeLog(makeEntries(9, 2));
      log.size = size;
      log.cosigned.length = 0;
      await expect(cosignLog(log, witness)).rejects.toMatchObject({ code: "fork", exitCode: 11 });
      await expect(cosignLog(log, witness)).rejects.toMatchObject({ code: "fork" });
      expect(log.cosigned).toEqual([]);
      const [evidence, ...others] = await readEvidence(witness.home);
      if (!evidence) throw new Error("There is no evidence.");
      expect(others).toEqual([]);
      expect(await checkFork(evidence, { ...noteCrypto, known: [madeLogKey] })).toMatchObject({
        trust: "known",
      });
    }
  });

  it("[WITNESS-21] accuses nobody of a smaller log without a proof, and cosigns nothing", async () => {
    const witness = await makeWitness();
    await cosignLog(new ShownLog(makeLog(makeEntries(9))), witness);
    const fork = new ShownLog(makeLog(makeEntries(9, 2)), 5);
    await expect(cosignLog(fork, witness)).rejects.toMatchObject({ code: "verification_failed" });
    expect(fork.cosigned).toEqual([]);
    fork.size = 9;
    await expect(cosignLog(fork, witness)).rejects.toMatchObject({ code: "fork" });
  });

  it("[WITNESS-20] cosigns nothing without a proof, without a trusted signature, or with other entries", async () => {
    const witness = await makeWitness();
    const log = new ShownLog(makeLog(makeEntries(9)), 5);
    await cosignLog(log, witness);
    const refuse = async (change: Partial<MeshLog>) => {
      const changed = Object.assign(new ShownLog(log.log, 9), change);
      await expect(cosignLog(changed, witness)).rejects.toMatchObject({ code: "verification_failed" });
      expect(changed.cosigned).toEqual([]);
    };
    await refuse({ readConsistency: async () => null });
    await refuse({ readConsistency: () => log.log.prove(4, 9) });
    await refuse({ readCheckpoint: async () => ({ ...(await log.log.sign(9)), keys: [makeKey().key] }) });
    await refuse({ readCheckpoint: async () => ({ note: "nothing", keys: [] }) });
  });

  it("[WITNESS-29] a comparison at a conclusion raises an alarm for a fork, and is silent without a log", async () => {
    const { home } = await makeWitness();
    const log = new ShownLog(makeLog(makeEntries(9)), 5);
    const call = async (name: string, { from_size = 0, size = 0 }: { from_size?: number; size?: number }) =>
      name === "get_checkpoint"
        ? log.readCheckpoint()
        : { consistency: await log.readConsistency(from_size, size) };
    const broker = { call } as unknown as Parameters<typeof checkQuietly>[0]["broker"];
    expect(await checkQuietly({ home, broker })).toBeNull();
    log.log = makeLog(makeEntries(9, 2));
    log.size = 9;
    expect(await checkQuietly({ home, broker })).toMatchObject({ code: "fork" });
    expect(await readEvidence(home)).toHaveLength(1);
    const silent = { call: () => Promise.reject(new Error("The broker cannot be reached.")) };
    expect(await checkQuietly({ home, broker: silent })).toBeNull();
  });

  it("[WITNESS-27] cosigns nothing if the entries are not those of the checkpoint", async () => {
    const witness = await makeWitness();
    const log = new ShownLog(makeLog(makeEntries(9)));
    for (const readEntries of [
      async () => [],
      async () => ["{}"],
      async (from: number) => makeEntries(9, 4).slice(from),
    ]) {
      const changed = Object.assign(new ShownLog(log.log), { readEntries });
      await expect(cosignLog(changed, witness)).rejects.toMatchObject({ code: "verification_failed" });
      expect(changed.cosigned).toEqual([]);
    }
    expect(await cosignLog(log, witness)).toMatchObject({ outcome: "cosigned" });
  });

  it("[WITNESS-28] follows a new log of the mesh only if a person accepts it", async () => {
    const witness = await makeWitness();
    const log = makeLog(makeEntries(5));
    await cosignLog(new ShownLog(log), witness);
    const [, mesh] = parseCheckpoint((await log.sign()).note, noteCrypto.sha256).origin.split("/");
    const next = new ShownLog(makeLog(makeEntries(2), `merkle/${mesh}/after-restore`));
    await expect(cosignLog(next, witness)).rejects.toMatchObject({ code: "restored", exitCode: 8 });
    expect(await cosignLog(next, { ...witness, acceptsRestore: true })).toMatchObject({
      outcome: "cosigned",
      size: 2,
    });
    expect(await cosignLog(next, witness)).toMatchObject({ outcome: "unchanged" });
    await expect(cosignLog(new ShownLog(log), witness)).rejects.toMatchObject({
      code: "verification_failed",
    });
  });
});

describe("a log that only grows, with two heads of one session that contradict each other", () => {
  const [first, second] = [
    makeBundle({ keys: [madeLogSigner] }),
    makeBundle({ keys: [madeLogSigner], messages: 50 }),
  ];
  const origin = `merkle/m/${first.headAt(9).epoch}`;

  it("[WITNESS-27] is not cosigned, and the heads are evidence", async () => {
    const witness = await makeWitness();
    const honest = first.headAt(20);
    const { signature: _, ...other } = {
      ...second.headAt(20),
      session_id: honest.session_id,
      epoch: honest.epoch,
    };
    const entries = [honest, signHead(other, madeLogSigner)].map((head) => formatLogEntry({ head }));
    const log = new ShownLog(makeLog(entries, origin));
    await expect(cosignLog(log, witness)).rejects.toMatchObject({ code: "fork" });
    expect(log.cosigned).toEqual([]);
    const [evidence] = await readEvidence(witness.home);
    if (!evidence) throw new Error("There is no evidence.");
    expect(await checkFork(evidence, noteCrypto)).toMatchObject({ of: "feed" });
  });

  it("[WITNESS-27] names the sessions whose heads the broker does not prove", async () => {
    const witness = await makeWitness();
    const entries = [first.headAt(9), first.headAt(20)].map((head) => formatLogEntry({ head }));
    const log = new ShownLog(makeLog(entries, origin));
    expect(await cosignLog(log, witness)).toMatchObject({ outcome: "cosigned", unproven: [first.recordId] });
  });
});
