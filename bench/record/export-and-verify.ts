import { createHash, hash } from "node:crypto";
import { once } from "node:events";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdtemp, open, rm, stat } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { verifyBundle, verifySignatureHere } from "@merkle/wire/record";
import { openZipBundle } from "@merkle/wire/record/zip";
import type { LongestTurn } from "../broker-process.js";
import { type Figure, formatMegabytes, formatSeconds, timeCall } from "./figures.js";
import type { LongSession } from "./long-session.js";
import { forgetPeak, readPeak } from "./peak-memory.js";

/** Measures exporting a long record, verifying the bundle without a broker, and importing it into another mesh. */
export async function measureExportAndVerify(long: LongSession): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), "merkle-bench-"));
  const file = join(folder, "long.zip");
  try {
    const exported = await whileWatching(long, () => download(long, file));
    const verified = await verify(file);
    const imported = await whileWatching(long, () => importElsewhere(long, file));
    return [
      { name: "export of a bundle", value: formatSeconds(exported.ms) },
      { name: "its size", value: formatMegabytes((await stat(file)).size) },
      ...exported.figures,
      { name: "verify it, without the broker", value: formatSeconds(verified.ms) },
      { name: "memory of the verifier at most", value: formatMegabytes(verified.peak) },
      { name: "import into another mesh: verify and store", value: formatSeconds(imported.ms) },
      ...imported.figures,
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function whileWatching(
  { broker, memory }: LongSession,
  work: () => Promise<void>,
): Promise<{ ms: number; figures: Figure[] }> {
  const before = await memory();
  await broker.ask<LongestTurn>({ loop: "watch" });
  const canReadPeak = await forgetPeak(broker.pid);
  const { ms } = await timeCall(work);
  const peak = canReadPeak ? formatMegabytes(await readPeak(broker.pid)) : "not told by this system";
  const { ms: held } = await broker.ask<LongestTurn>({ loop: "read" });
  return {
    ms,
    figures: [
      {
        name: "memory of the broker: before, and at most meanwhile",
        value: `${formatMegabytes(before.rss)}, ${peak}`,
      },
      { name: "longest turn of the event loop meanwhile", value: `${held.toFixed(1)} ms` },
    ],
  };
}

async function download({ broker, session_id }: LongSession, file: string): Promise<void> {
  const response = await fetch(new URL(`/api/sessions/${session_id}/export`, broker.url));
  if (!response.ok || !response.body) throw new Error(await response.text());
  await pipeline(Readable.fromWeb(response.body as never), createWriteStream(file));
}

/** @throws Error if the bundle does not verify, because the measurements would then be meaningless */
async function verify(path: string): Promise<{ ms: number; peak: number }> {
  const file = await open(path);
  let peak = 0;
  const watching = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 100);
  try {
    const { size } = await file.stat();
    const bundle = await openZipBundle({
      size,
      async read(offset, length) {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset);
        return buffer.subarray(0, bytesRead);
      },
    });
    const { ms, result } = await timeCall(() =>
      verifyBundle(bundle, {
        sha256: (bytes) => hash("sha256", bytes, "buffer"),
        createSha256: () => createHash("sha256"),
        verifySignature: verifySignatureHere,
      }),
    );
    if (!result.ok) throw new Error(`It does not verify: ${JSON.stringify(result.findings[0])}`);
    return { ms, peak };
  } finally {
    clearInterval(watching);
    await file.close();
  }
}

async function importElsewhere({ broker }: LongSession, path: string): Promise<void> {
  const response = await fetch(new URL("/api/meshes", broker.url), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "elsewhere" }),
  });
  const { mesh_id } = (await response.json()) as { mesh_id: string };
  // This request does not use fetch, which times out if the reply takes minutes.
  const asking = request(new URL("/api/import", broker.url), {
    method: "POST",
    headers: {
      "content-type": "application/zip",
      "content-length": (await stat(path)).size,
      "x-merkle-mesh": mesh_id,
    },
  });
  const answered = once(asking, "response");
  await pipeline(createReadStream(path), asking);
  const [answer] = (await answered) as [IncomingMessage];
  if (answer.statusCode !== 200) throw new Error(await text(answer));
  answer.resume();
}
