import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { MessageFile } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { expect, it, onTestFinished } from "vitest";
import { startBrokerProcess } from "../faults/broker-process.js";
import { putAuditKey } from "../kit/audit-key.js";
import { createTestSession } from "../kit/session.js";
import { createTestDatabase } from "../kit/test-database.js";
import { brokerTransports } from "../kit/transports.js";

const filesMax = 50;
/** How many files one caller may transfer at once. */
const atOnce = 4;
/** A fraction of the bytes that go through the broker. */
const grownBytesMax = 256 * 1024 * 1024;

it("[ATTACH-11] fifty of the largest files go up and down, four at once, in bounded memory", {
  tags: ["long", "linux"],
  timeout: 600_000,
}, async () => {
  const home = await mkdtemp(join(tmpdir(), "merkle-files-"));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  await putAuditKey(home);
  const databaseUrl = await createTestDatabase(onTestFinished);
  const deaths: string[] = [];
  const broker = await startBrokerProcess({ home, databaseUrl, options: { auth: "open" } }, (how) =>
    deaths.push(how),
  );
  onTestFinished(() => broker.stop());
  const rest = await brokerTransports.rest(broker.url);
  const { sessionId: session_id, convener: team_id } = await createTestSession(rest);
  const before = (await readMemory(broker.pid)).now;

  const uploaded: MessageFile[] = [];
  await inTurns(
    Array.from({ length: filesMax }, (_, number) => `${number}.bin`),
    async (name) => {
      const response = await fetch(`${broker.url}/api/sessions/${session_id}/files?name=${name}`, {
        method: "PUT",
        headers: { "x-team-id": team_id },
        body: randomBytes(limits.attachmentBytesMax),
      });
      expect(response.status).toBe(200);
      uploaded.push(await response.json());
    },
  );
  const places: { readonly message: number; readonly digest: string }[] = [];
  while (uploaded.length > 0) {
    const attachments = uploaded.splice(0, limits.attachmentsMax);
    const { cursor } = await rest.call("post_message", {
      session_id,
      team_id,
      content: { text: "Files", attachments },
    });
    places.push(...attachments.map(({ digest }) => ({ message: cursor, digest })));
  }
  await inTurns(places, async ({ message, digest }) => {
    const address = `${broker.url}/api/sessions/${session_id}/messages/${message}/files/${digest}`;
    const response = await fetch(address, { headers: { "x-team-id": team_id } });
    const bytes = new Uint8Array(await response.arrayBuffer());
    expect(createHash("sha256").update(bytes).digest("hex")).toBe(digest);
  });

  const { peak } = await readMemory(broker.pid);
  const megabytes = (bytes: number) => `${Math.round(bytes / 1_000_000)} MB`;
  console.info(`The broker had ${megabytes(before)} before, and ${megabytes(peak)} at its peak.`);
  expect(peak - before).toBeLessThan(grownBytesMax);
  expect(deaths).toEqual([]);
});

/** Runs the work for each item, as many at once as one caller may transfer. */
async function inTurns<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const left = [...items];
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
    }),
  );
}

async function readMemory(pid: number): Promise<{ readonly now: number; readonly peak: number }> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  const bytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) * 1024;
  return { now: bytes("VmRSS"), peak: bytes("VmHWM") };
}
