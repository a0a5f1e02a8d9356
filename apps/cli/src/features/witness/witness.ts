import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { MerkleError, shortenHash } from "@merkle/wire";
import { formatVerifierKey, isNoteName, toHex } from "@merkle/wire/record";
import { type BrokerClient, createBrokerClient, findBroker } from "../../broker/broker-client.js";
import { toReach } from "../../broker/reach.js";
import type { Command, CommandContext } from "../../command/command.js";
import { CliError, exitCodes, usageError } from "../../core/cli-error.js";
import { describeError } from "../../core/describe-error.js";
import { toSeconds } from "../../core/flag-values.js";
import { findFlag, isSet } from "../../core/flags.js";
import { nodeCrypto } from "../../core/node-crypto.js";
import { getSystemUserName } from "../../core/system-user.js";
import { getReadingActor } from "../../identity/actors.js";
import { formatCount } from "../../text/time.js";
import { type Cosigning, cosignLog } from "./cosign-log.js";
import { formatEntries } from "./log-text.js";
import { openMeshLog } from "./mesh-log.js";
import { getWitnessKey, type WitnessKey } from "./witness-key.js";

const nameFlag = {
  flags: "--name <name>",
  summary: "name of a new witness key (default: your user name and this machine's name)",
};

export const witnessKey: Command = {
  name: "witness key",
  summary: "print the verifier key with which this machine cosigns, for the mesh's policy",
  flags: [nameFlag],
  examples: ["merkle witness key", "merkle witness key --name ada.example"],
  offline: true,
  async run({ flags, config, output }) {
    const { key } = await getWitnessKey(config.home, readName(findFlag(flags, "name")));
    const vkey = formatVerifierKey(key, nodeCrypto.sha256);
    output.show({ name: key.name, key: vkey }, vkey);
    output.note("  give this key to the mesh's admin, then run: merkle witness run");
    return exitCodes.done;
  },
};

export const witnessRun: Command = {
  name: "witness run",
  summary: "check that the broker's log only grows, and cosign it",
  flags: [
    { flags: "--broker <url>", summary: "address of the broker (default: as for other commands)" },
    { flags: "--interval <time>", summary: "time between two checks (default: 10s)" },
    { flags: "--once", summary: "check and cosign once, then exit" },
    { flags: "--accept-restore", summary: "follow a new log of the mesh, which a restored backup begins" },
    nameFlag,
  ],
  examples: [
    "merkle witness run --broker https://merkle.example.com",
    "merkle witness run --once",
    "merkle witness run --interval 1m",
  ],
  async run(context) {
    const { flags, config, signal, output } = context;
    const intervalMs = toSeconds(findFlag(flags, "interval") ?? "10s", "--interval") * 1_000;
    const broker = await findWitnessedBroker(context);
    const log = openMeshLog(await getReadingActor({ broker, config }));
    const key = await getWitnessKey(config.home, readName(findFlag(flags, "name")));
    const acceptsRestore = isSet(flags, "acceptRestore");
    const cosign = () =>
      cosignLog(log, { home: config.home, key, now: Math.floor(Date.now() / 1_000), acceptsRestore });
    if (isSet(flags, "once")) {
      const cosigning = await cosign();
      output.show(toReport(cosigning, key), formatCosigning(cosigning, context));
      return exitCodes.done;
    }
    output.note(`${key.key.name} is a witness of ${broker.base}. Press Ctrl+C to stop.`);
    await cosignUntilAborted(cosign, { context, intervalMs, signal });
    return exitCodes.done;
  },
};

/** Cosigns until the signal is aborted. Retries what can pass, such as a broker that does not answer. */
async function cosignUntilAborted(
  cosign: () => Promise<Cosigning>,
  { context, intervalMs, signal }: { context: CommandContext; intervalMs: number; signal: AbortSignal },
): Promise<void> {
  const { output } = context;
  let problem = "";
  while (!signal.aborted) {
    try {
      const cosigning = await cosign();
      problem = "";
      if (cosigning.outcome === "cosigned") output.note(formatCosigning(cosigning, context));
    } catch (error) {
      if (signal.aborted) return;
      if (!canPass(error)) throw error;
      const message = describeError(error);
      if (message !== problem) output.note(`${output.mark.warn} ${message}`);
      problem = message;
    }
    await delay(intervalMs, undefined, { signal }).catch(() => undefined);
  }
}

/**
 * Returns whether trying again can help. A fork or a restore does not pass. A missing proof does, if the broker
 * was cut off from its database. Until an admin adds the witness to the policy, it only checks the log.
 */
function canPass(error: unknown): boolean {
  if (error instanceof MerkleError) return error.code !== "unauthorized";
  return error instanceof CliError && (error.code === "unreachable" || error.code === "verification_failed");
}

/** Returns the broker that `--broker` names, or the one that all commands use. */
async function findWitnessedBroker({ flags, config, signal }: CommandContext): Promise<BrokerClient> {
  const base = findFlag(flags, "broker");
  if (base === undefined) return findBroker(config, signal);
  if (!URL.canParse(base)) throw usageError(`--broker must be a URL, got ${JSON.stringify(base)}.`);
  const reach = toReach(config);
  return createBrokerClient({ base: base.replace(/\/+$/, ""), source: "--url", reach }, signal);
}

/** Returns the name of a new witness key. @throws CliError `usage` if a note cannot have the name */
function readName(name = toDefaultName()): string {
  if (isNoteName(name)) return name;
  throw usageError(`--name must not have white space or a plus sign, got ${JSON.stringify(name)}.`);
}

function toDefaultName(): string {
  const name = `${getSystemUserName()}.${hostname()}`.replaceAll(/[\p{White_Space}\p{Cc}+]+/gu, "-");
  return isNoteName(name) ? name : "witness";
}

function toReport({ outcome, origin, size, root, unproven }: Cosigning, { key }: WitnessKey) {
  return { outcome, origin, size, root: toHex(root), witness: key.name, unproven };
}

function formatCosigning(
  { outcome, size, root, unproven }: Cosigning,
  { output: { mark } }: Pick<CommandContext, "output">,
): string {
  const what = `${formatEntries(size)}, root ${shortenHash(toHex(root))}`;
  const lines = {
    cosigned: `${mark.ok} cosigned ${what}`,
    unchanged: `${mark.ok} already cosigned ${what}`,
    empty: `${mark.ok} the log is empty, so there is nothing to cosign yet`,
    earlier: `${mark.warn} nothing cosigned: the broker shows only ${what}, and this machine has seen more`,
  };
  const unprovenCount = formatCount(unproven.length, "session");
  return unproven.length === 0
    ? lines[outcome]
    : `${lines[outcome]}\n${mark.warn} the broker did not prove that ${unprovenCount} only grew: ${unproven.slice(0, 3).join(", ")}`;
}
