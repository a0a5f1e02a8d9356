import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { startChild } from "../child.js";
import { toLatency } from "../statistics.js";
import type { AttackQuestion, Offered } from "./attacker-child.js";
import { type AttackName, attacks } from "./attacks.js";
import type { FloodedMemory, Work } from "./broker-child.js";
import { keepOn, shareProcessors } from "./processors.js";
import { watchSocketMemory } from "./socket-memory.js";
import { openWellBehaved } from "./well-behaved.js";

interface Flooded {
  readonly attack: AttackName;
  readonly offered: Offered;
  /** What the guard turned away, and what it cut off. */
  readonly refused: number;
  readonly cutOff: number;
  readonly memory: { readonly before: number; readonly peak: number; readonly after: number };
  /** What the system held for connections at most. */
  readonly sockets: number;
  /**
   * Of the posts of the well-behaved, in milliseconds: in the first seconds of this broker's first flood, before and after the
   * one that counts, in this, and while another server is flooded.
   */
  readonly p99: {
    readonly first: number;
    readonly alone: number;
    readonly flooded: number;
    readonly control: number;
  };
  readonly posts: { readonly alone: number; readonly flooded: number; readonly control: number };
  readonly work: { readonly alone: Work; readonly flooded: Work };
  readonly load: number;
}

const ratioMax = 2;
const names = Object.keys(attacks) as AttackName[];
const { values: flags, positionals } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    /** How long each attack lasts. */
    seconds: { type: "string" },
    /** How often each is measured; of each the round in the middle is shown. */
    rounds: { type: "string" },
    /** Writes what the broker did where to bench-results/, too. */
    profile: { type: "boolean", default: false },
  },
  allowPositionals: true,
});
const unknown = positionals.find((name) => !names.some((each) => each === name));
if (unknown !== undefined) {
  console.error(`There is no attack "${unknown}"; there are ${names.join(", ")}.`);
  process.exit(2);
}
const ms = 1_000 * Number(flags.seconds ?? (flags.quick ? 4 : 15));
/** What the broker does in a flood is compiled in its first one. */
const firstMs = 2_000;
/** Connections that were refused are held until then. */
const settleMs = 3_500;
const scale = flags.quick ? 0.1 : 1;
const rounds = Number(flags.rounds ?? (flags.quick ? 1 : 3));
const chosen = positionals.length === 0 ? names : names.filter((name) => positionals.includes(name));

const folder = fileURLToPath(new URL("../../../bench-results/", import.meta.url));
const processors = shareProcessors();
// What it starts from now on stays there with it.
if (processors) keepOn(processors.attacked, process.pid);
else
  console.error(
    "The attacker cannot be given processors of its own here, and takes its share of the broker's.",
  );

/** Of each attack all rounds, the one with the smallest ratio first. */
const results: Flooded[][] = [];
for (const name of chosen) {
  const measured: Flooded[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    console.error(`${name}, round ${round} of ${rounds}`);
    measured.push(await flood(name));
  }
  results.push(measured.sort((one, other) => ratioOf(one) - ratioOf(other)));
}
print(results);
console.log(`\nAll of it: ${await write(results.flat())}`);
if (results.some((each) => ratioOf(middleOf(each)) > ratioMax)) process.exitCode = 1;

/** Floods a broker started afresh, and then another server: before, between and after the well-behaved are alone with it. */
async function flood(name: AttackName): Promise<Flooded> {
  const { rateLimits = {}, textBytes } = attacks[name];
  const home = await mkdtemp(join(tmpdir(), "merkle-flood-"));
  await chmod(home, 0o711);
  const profile = flags.profile ? ["--cpu-prof", `--cpu-prof-dir=${folder}`] : [];
  const broker = startChild("./flood/broker-child.js", ["--expose-gc", ...profile]);
  const control = startChild("./flood/control-child.js");
  const attacker = startChild("./flood/attacker-child.js");
  if (processors) keepOn(processors.attacker, attacker.pid);
  try {
    const { port } = await broker.ask<{ port: number }>({ start: { home, rateLimits } });
    const clients = await openWellBehaved(port, textBytes);
    const attackAt = async (at: { readonly port: number }, forMs: number) => {
      const question: AttackQuestion = {
        attack: name,
        port: at.port,
        ms: forMs + 500,
        session: clients.session,
        scale,
      };
      const attacking = attacker.ask<Offered>(question);
      const posts = await clients.post(forMs);
      return { offered: await attacking, posts };
    };
    await clients.post(1_000);
    const memoryBefore = await broker.ask<FloodedMemory>({ memory: "watch" });
    const first = await attackAt({ port }, firstMs);
    await attacker.ask({ end: true });
    await clients.post(settleMs);
    await broker.ask<Work>({ work: "read" });
    const before = await clients.post(ms / 2);
    const workAlone = await broker.ask<Work>({ work: "read" });
    const stopWatching = watchSocketMemory();
    const flooded = await attackAt({ port }, ms);
    const sockets = await stopWatching();
    const workFlooded = await broker.ask<Work>({ work: "read" });
    const { refused, cutOff } = await readCounters(port);
    await attacker.ask({ end: true });
    const memoryAfter = await broker.ask<FloodedMemory>({ memory: "read" });
    const controlled = await attackAt(await control.ask<{ port: number }>({ start: true }), ms);
    await attacker.ask({ end: true });
    const alone = [...before, ...(await clients.post(ms / 2))];
    await clients.close();
    return {
      attack: name,
      offered: flooded.offered,
      refused,
      cutOff,
      memory: { before: memoryBefore.now, peak: memoryAfter.peak, after: memoryAfter.now },
      sockets,
      p99: {
        first: toLatency(first.posts).p99,
        alone: toLatency(alone).p99,
        flooded: toLatency(flooded.posts).p99,
        control: toLatency(controlled.posts).p99,
      },
      posts: { alone: alone.length, flooded: flooded.posts.length, control: controlled.posts.length },
      work: { alone: workAlone, flooded: workFlooded },
      load: loadavg()[0] ?? 0,
    };
  } finally {
    await attacker.stop();
    await control.stop();
    await broker.stop();
    await rm(home, { recursive: true, force: true });
  }
}

async function readCounters(port: number): Promise<{ refused: number; cutOff: number }> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const sum = (name: string) =>
    [...text.matchAll(new RegExp(`^${name}\\{.*\\} (\\d+)$`, "gm"))].reduce(
      (all, [, n]) => all + Number(n),
      0,
    );
  return { refused: sum("merkle_refusals_total"), cutOff: sum("merkle_cut_offs_total") };
}

function ratioOf({ p99 }: Flooded): number {
  return p99.flooded / p99.alone;
}

function middleOf(measured: readonly Flooded[]): Flooded {
  const middle = measured[Math.floor((measured.length - 1) / 2)];
  if (!middle) throw new Error("Nothing was measured.");
  return middle;
}

function print(all: readonly (readonly Flooded[])[]): void {
  const mib = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MiB`;
  const percent = (share: number) => `${Math.round(share * 100)} %`;
  console.log(
    "| Attack | Offered | Refused; cut off | RSS before, peak, after; sockets | p99 first, alone, flooded, control | Flooded / alone (all rounds) | Flooded / control | Broker busy, late |",
  );
  console.log("|---|---|---|---|---|---|---|---|");
  for (const measured of all) {
    const each = middleOf(measured);
    const { attack, offered, refused, cutOff, memory, sockets, p99, work } = each;
    const told = Object.entries(offered).map(([what, n]) => `${n.toLocaleString("en-US")} ${what}`);
    const cells = [
      attack,
      told.join(", "),
      `${refused.toLocaleString("en-US")}; ${cutOff.toLocaleString("en-US")}`,
      `${mib(memory.before)}, ${mib(memory.peak)}, ${mib(memory.after)}; ${mib(sockets)}`,
      `${p99.first.toFixed(1)}, ${p99.alone.toFixed(1)}, ${p99.flooded.toFixed(1)}, ${p99.control.toFixed(1)} ms`,
      `${ratioOf(each).toFixed(2)} ${ratioOf(each) <= ratioMax ? "met" : "missed"} (${measured.map((one) => ratioOf(one).toFixed(2)).join(", ")})`,
      (p99.flooded / p99.control).toFixed(2),
      `${percent(work.alone.busy)} → ${percent(work.flooded.busy)}, ${work.alone.lateP99.toFixed(1)} → ${work.flooded.lateP99.toFixed(1)} ms`,
    ];
    console.log(`| ${cells.join(" | ")} |`);
  }
}

async function write(all: readonly Flooded[]): Promise<string> {
  await mkdir(folder, { recursive: true });
  const at = new Date().toISOString();
  const file = `${folder}flood-${at.replaceAll(":", "-")}.json`;
  const machine = { cpu: cpus()[0]?.model, cores: cpus().length, node: process.version };
  await writeFile(file, `${JSON.stringify({ at, machine, results: all }, null, 2)}\n`);
  return file;
}
