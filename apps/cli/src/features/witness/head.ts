import { open } from "node:fs/promises";
import { shortenHash } from "@merkle/wire";
import {
  computeConsistentRoot,
  fromHex,
  parseCheckpoint,
  parseKeys,
  type SeenCheckpoint,
  toCanonicalJson,
  toHex,
} from "@merkle/wire/record";
import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import type { Output } from "../../command/output.js";
import { CliError, exitCodes, usageError } from "../../core/cli-error.js";
import { findFlag, isSet } from "../../core/flags.js";
import { nodeCrypto } from "../../core/node-crypto.js";
import { getReadingActor } from "../../identity/actors.js";
import { toShellWord } from "../../text/shell.js";
import { toMoment } from "../../text/time.js";
import { type CheckedLog, cannotVerify, checkLog, compareShown, explainShapeErrors } from "./check-log.js";
import { createForkError } from "./fork-found.js";
import { formatEntries, formatHeadCode, parseHeadCode } from "./log-text.js";
import { type MeshLog, openMeshLog } from "./mesh-log.js";
import { findSeenLog, replaceSeenLog } from "./seen-logs.js";

export const head: Command = {
  name: "head",
  summary: "show the mesh's log as this machine has verified it, and compare it with another member's",
  flags: [
    {
      flags: "--compare <code>",
      summary: "code that another member reads to you, or a file with the output of merkle head --json",
    },
    { flags: "--accept-restore", summary: "follow a new log of the mesh, which a restored backup begins" },
  ],
  examples: [
    "merkle head",
    'merkle head --compare "1204: 48210 09375 71264 00912 55310 28841 90007 13355"',
    "merkle head --json > my-head.json",
    "merkle head --compare their-head.json",
  ],
  async run({ flags, config, output, signal }) {
    const { home } = config;
    const other = findFlag(flags, "compare");
    const broker = await findBroker(config, signal);
    const log = openMeshLog(await getReadingActor({ broker, config }));
    const checked = await checkLog(log, { home, acceptsRestore: isSet(flags, "acceptRestore") });
    if (other !== undefined) {
      await explainShapeErrors(() => compare(log, { home, checked, other }));
      await saveComparison(home, checked.checkpoint.origin);
    }
    const isSame = other !== undefined;
    output.show(
      { ...toReport(checked), ...(isSame && { compared: true }) },
      formatHead(checked, { isSame, output }),
    );
    return exitCodes.done;
  },
};

interface Comparison {
  readonly home: string;
  readonly checked: CheckedLog;
  /** A code, or the name of a file. */
  readonly other: string;
}

/** @throws CliError `fork` if the other member saw another history; `verification_failed` without a proof */
async function compare(log: MeshLog, { home, checked, other }: Comparison): Promise<void> {
  const code = parseHeadCode(other);
  if (code) return compareCode(log, code, checked);
  const shown = await readHeadFile(other);
  const checkpoint = parseCheckpoint(shown.note, nodeCrypto.sha256);
  const compared = await compareShown(log, { seen: checked.seen, shown, checkpoint });
  if (compared.outcome === "fork") throw await createForkError(home, compared);
  if (compared.outcome === "refused" || compared.outcome === "unproven") throw cannotVerify(compared.message);
}

/**
 * Compares a code. The broker proves the root that its log had at the code's size, so both members need not
 * have seen the same size.
 */
async function compareCode(
  log: MeshLog,
  { size, code }: { readonly size: number; readonly code: string },
  { seen }: CheckedLog,
): Promise<void> {
  const own = parseCheckpoint(seen.note, nodeCrypto.sha256);
  if (size > own.size) {
    throw cannotVerify(
      `The code is of ${size} entries, and the broker shows only ${own.size} to this machine.`,
    );
  }
  const root = size === own.size ? own.root : await readRoot(log, { size, later: own });
  if (!root) throw cannotVerify(`The broker did not prove which log had ${size} entries.`);
  if (formatHeadCode({ origin: own.origin, size, root }) === code) return;
  throw new CliError(
    "fork",
    "THE CODES DIFFER. Read them to each other again. If they still differ, the broker has shown you two histories. For evidence, exchange files.",
    {
      exitCode: exitCodes.fork,
      next: ["merkle head --json > my-head.json", "merkle head --compare their-head.json"],
    },
  );
}

/** Returns the root that the log had at a smaller size, or null if the broker does not prove it. */
async function readRoot(
  log: MeshLog,
  {
    size,
    later,
  }: { readonly size: number; readonly later: { readonly size: number; readonly root: Uint8Array } },
): Promise<Uint8Array | null> {
  if (size === 0) return nodeCrypto.sha256(new Uint8Array());
  const proof = await log.readConsistency(size, later.size);
  const fromRoot = proof && fromHex(proof.from_root, 32);
  const path = proof?.path.map((hash) => fromHex(hash, 32)).filter((hash) => hash !== null);
  if (!fromRoot || !path || path.length !== proof?.path.length) return null;
  const claim = { from: size, fromRoot, size: later.size, root: later.root, path };
  return computeConsistentRoot(claim, nodeCrypto.sha256);
}

const headFileBytesMax = 1_000_000;

/** Reads what another member's `merkle head --json` wrote. */
async function readHeadFile(path: string): Promise<SeenCheckpoint> {
  const notHead = (cause?: unknown) => {
    const got = JSON.stringify(path.slice(0, 100));
    const message = `--compare must be a code such as "1204: 48210 …", or a file from merkle head --json, got ${got}.`;
    return Object.assign(usageError(message), { cause });
  };
  const file = await open(path, "r").catch((error: unknown) => {
    throw notHead(error);
  });
  try {
    if ((await file.stat()).size > headFileBytesMax) throw notHead();
    const { note, keys } = Object(JSON.parse(await file.readFile("utf8")));
    return { note: String(note), keys: parseKeys(toCanonicalJson(keys)) };
  } catch (error) {
    throw error instanceof CliError ? error : notHead(error);
  } finally {
    await file.close();
  }
}

/** Stores that a person has compared the log. If another process changes the state in between, tries again. */
async function saveComparison(home: string, origin: string): Promise<void> {
  const compared_at = Math.floor(Date.now() / 1_000);
  for (;;) {
    const seen = findSeenLog(home, origin);
    if (!seen || (await replaceSeenLog(home, seen, { ...seen, compared_at }))) return;
  }
}

function toReport({ seen }: CheckedLog) {
  const { origin, size, root } = parseCheckpoint(seen.note, nodeCrypto.sha256);
  const { note, keys, compared_at } = seen;
  return {
    origin,
    size,
    root: toHex(root),
    code: formatHeadCode({ origin, size, root }),
    note,
    keys,
    compared_at,
  };
}

function formatHead(
  checked: CheckedLog,
  { isSame, output }: { readonly isSame: boolean; readonly output: Pick<Output, "mark" | "bold" | "dim"> },
): string {
  const { size, root, code, compared_at } = toReport(checked);
  const isFirst = checked.outcome === "first";
  const continues = isFirst ? "seen here for the first time" : "continues what was seen here before";
  return [
    `${output.mark.ok} ${formatEntries(size)} in the mesh's log, root ${shortenHash(root)}, ${continues}`,
    `  code: ${output.bold(code)}`,
    isSame
      ? `${output.mark.ok} the other member saw the same history`
      : compared_at === null
        ? "  not compared with another member yet"
        : `  last compared ${toMoment(new Date(compared_at * 1_000).toISOString())}`,
    isSame ? null : output.dim(`  on another member's machine: merkle head --compare ${toShellWord(code)}`),
  ]
    .filter((line) => line !== null)
    .join("\n");
}
