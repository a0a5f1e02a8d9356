import { createHash } from "node:crypto";
import type { OutputOf } from "@merkle/wire";
import { fromHex, hashEntry, verifyConsistency, verifyInclusion } from "@merkle/wire/record";
import type { LongestTurn } from "../broker-process.js";
import { openCaller } from "../caller.js";
import { type Figure, formatMegabytes, formatSeconds, measureCalls, timeCall } from "./figures.js";
import type { LongSession } from "./long-session.js";
import { forgetPeak, readPeak } from "./peak-memory.js";

const proofs = 200;

/** Measures how long it takes to sign a long record, for the first time and again, and to prove its entries. */
export async function measureSealAndProof(long: LongSession): Promise<Figure[]> {
  const { broker, session_id, team_id, messages } = long;
  const caller = await openCaller(broker.socketUrl);
  const seal = () => caller.call("session_seal", { session_id });
  const prove = (input: object) =>
    caller.call("session_proof", { session_id, ...input }) as Promise<OutputOf<"session_proof">>;
  const anyOf = (index: number) => 1 + ((index * 7_919 + 104_729) % messages);
  try {
    const before = await long.memory();
    await broker.ask<LongestTurn>({ loop: "watch" });
    const canReadPeak = await forgetPeak(broker.pid);
    const first = await timeCall(() => untilHashed(seal));
    const peak = canReadPeak ? formatMegabytes(await readPeak(broker.pid)) : "not told by this system";
    const { ms: held } = await broker.ask<LongestTurn>({ loop: "read" });
    const figures: Figure[] = [
      { name: "first seal: everything hashed", value: formatSeconds(first.ms) },
      { name: "longest turn of the event loop meanwhile", value: `${held.toFixed(1)} ms` },
      {
        name: "memory of the broker: before, and at most meanwhile",
        value: `${formatMegabytes(before.rss)}, ${peak}`,
      },
      { name: "tiles on the disk", value: formatMegabytes(await long.sizeOf("record_tiles")) },
      { name: "messages on the disk", value: formatMegabytes(await long.sizeOf("messages")) },
      { name: "seal again, nothing added", value: await measureCalls(50, seal) },
    ];
    figures.push({
      name: "seal after one more message",
      value: await measureCalls(20, async () => {
        await long.add(1);
        await seal();
      }),
    });
    await long.add(1_000);
    figures.push({ name: "seal after 1,000 more", value: `${(await timeCall(seal)).ms.toFixed(1)} ms` });
    figures.push({
      name: "proof of a message",
      value: await measureCalls(proofs, (n) => prove({ sequence: anyOf(n) })),
    });
    figures.push({
      name: "proof that an earlier root is the beginning",
      value: await measureCalls(proofs, (n) => prove({ from_size: anyOf(n) })),
    });
    const proved = await prove({ sequence: anyOf(1), from_size: anyOf(2) });
    figures.push({
      name: "verify both, without the broker",
      value: await measureCalls(proofs, async () => verify(proved)),
    });
    const { ms } = await timeCall(() =>
      caller.call("conclude_session", { session_id, team_id, summary_section: "Done." }),
    );
    figures.push({ name: "conclude", value: `${ms.toFixed(1)} ms` });
    return figures;
  } finally {
    caller.close();
  }
}

/**
 * Repeats the call. A broker that needs longer than a reply may take returns an error and continues in the background.
 */
async function untilHashed(seal: () => Promise<unknown>): Promise<void> {
  for (;;) {
    const problem = await seal().then(
      () => null,
      (error: Error) => error,
    );
    if (!problem) return;
    if (!problem.message.includes("hashed for the first time")) throw problem;
  }
}

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest();

/** @throws Error if a proof is invalid, because the measurements would then be meaningless */
function verify({ size, root, inclusion, consistency }: OutputOf<"session_proof">): void {
  if (!inclusion || !consistency) throw new Error("There is no proof to verify.");
  const at = { size, root: hashOf(root) };
  const holds =
    verifyInclusion(
      {
        ...at,
        index: inclusion.number - 1,
        // The hash depends only on the entry's canonical JSON, so the entry's type does not matter.
        leaf: hashEntry(inclusion.entry as never, sha256),
        path: inclusion.path.map(hashOf),
      },
      sha256,
    ) &&
    verifyConsistency(
      {
        ...at,
        from: consistency.from_size,
        fromRoot: hashOf(consistency.from_root),
        path: consistency.path.map(hashOf),
      },
      sha256,
    );
  if (!holds) throw new Error("A proof does not hold.");
}

function hashOf(text: string): Uint8Array {
  const bytes = fromHex(text, 32);
  if (!bytes) throw new Error(`${text} is no hash.`);
  return bytes;
}
