import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { startChild } from "../child.js";
import { toLatency } from "../statistics.js";
import type { AttackQuestion, Offered } from "./attacker-child.js";
import { type AttackName, attacks } from "./attacks.js";
import type { FloodedMemory } from "./broker-child.js";
import { openWellBehaved } from "./well-behaved.js";

interface Flooded {
  readonly attack: AttackName;
  readonly offered: Offered;
  /** What the guard turned away, and what it cut off. */
  readonly refused: number;
  readonly cutOff: number;
  readonly memory: { readonly before: number; readonly peak: number; readonly after: number };
  /** Of the posts of the well-behaved, in milliseconds. */
  readonly p99: { readonly alone: number; readonly flooded: number };
  readonly posts: { readonly alone: number; readonly flooded: number };
  readonly load: number;
}

const ratioMax = 2;
const names = Object.keys(attacks) as AttackName[];
const { values: flags, positionals } = parseArgs({
  options: { quick: { type: "boolean", default: false } },
  allowPositionals: true,
});
const unknown = positionals.find((name) => !names.some((each) => each === name));
if (unknown !== undefined) {
  console.error(`There is no attack "${unknown}"; there are ${names.join(", ")}.`);
  process.exit(2);
}
const { ms, scale } = flags.quick ? { ms: 4_000, scale: 0.1 } : { ms: 15_000, scale: 1 };
const chosen = positionals.length === 0 ? names : names.filter((name) => positionals.includes(name));

const results: Flooded[] = [];
for (const name of chosen) {
  console.error(name);
  results.push(await flood(name));
}
print(results);
console.log(`\nAll of it: ${await write(results)}`);
if (results.some((each) => ratioOf(each) > ratioMax)) process.exitCode = 1;

/** Floods a broker started afresh: first the well-behaved are alone with it, then not. */
async function flood(name: AttackName): Promise<Flooded> {
  const { rateLimits = {}, textBytes } = attacks[name];
  const home = await mkdtemp(join(tmpdir(), "merkle-flood-"));
  await chmod(home, 0o711);
  const typescript = ["--import=tsx", "--conditions=merkle-source"];
  const broker = startChild("./flood/broker-child.ts", ["--expose-gc", ...typescript]);
  const attacker = startChild("./flood/attacker-child.ts", typescript);
  try {
    const { port } = await broker.ask<{ port: number }>({ start: { home, rateLimits } });
    const clients = await openWellBehaved(port, textBytes);
    await clients.post(1_000);
    const alone = await clients.post(ms);
    const before = await broker.ask<FloodedMemory>({ memory: "watch" });
    const question: AttackQuestion = { attack: name, port, ms: ms + 500, session: clients.session, scale };
    const attacking = attacker.ask<Offered>(question);
    const flooded = await clients.post(ms);
    const offered = await attacking;
    const { refused, cutOff } = await readCounters(port);
    await attacker.ask({ end: true });
    await clients.close();
    const after = await broker.ask<FloodedMemory>({ memory: "read" });
    return {
      attack: name,
      offered,
      refused,
      cutOff,
      memory: { before: before.now, peak: after.peak, after: after.now },
      p99: { alone: toLatency(alone).p99, flooded: toLatency(flooded).p99 },
      posts: { alone: alone.length, flooded: flooded.length },
      load: loadavg()[0] ?? 0,
    };
  } finally {
    await attacker.stop();
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

function print(all: readonly Flooded[]): void {
  const mib = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MiB`;
  console.log(
    "| Attack | Offered | Refused; cut off | RSS before, peak, after | p99 alone, flooded | Ratio | Load |",
  );
  console.log("|---|---|---|---|---|---|---|");
  for (const each of all) {
    const { attack, offered, refused, cutOff, memory, p99, load } = each;
    const told = Object.entries(offered).map(([what, n]) => `${n.toLocaleString("en-US")} ${what}`);
    const cells = [
      attack,
      told.join(", "),
      `${refused.toLocaleString("en-US")}; ${cutOff.toLocaleString("en-US")}`,
      `${mib(memory.before)}, ${mib(memory.peak)}, ${mib(memory.after)}`,
      `${p99.alone.toFixed(1)} ms, ${p99.flooded.toFixed(1)} ms`,
      `${ratioOf(each).toFixed(2)} ${ratioOf(each) <= ratioMax ? "met" : "missed"}`,
      load.toFixed(1),
    ];
    console.log(`| ${cells.join(" | ")} |`);
  }
}

async function write(all: readonly Flooded[]): Promise<string> {
  const folder = fileURLToPath(new URL("../../bench-results/", import.meta.url));
  await mkdir(folder, { recursive: true });
  const at = new Date().toISOString();
  const file = `${folder}flood-${at.replaceAll(":", "-")}.json`;
  const machine = { cpu: cpus()[0]?.model, cores: cpus().length, node: process.version };
  await writeFile(file, `${JSON.stringify({ at, machine, results: all }, null, 2)}\n`);
  return file;
}
