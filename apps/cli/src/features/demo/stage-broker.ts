import { MerkleError } from "@merkle/wire";
import { findBroker } from "../../broker/broker-client.js";
import type { ReachableAddress } from "../../broker/reach.js";
import type { CommandContext } from "../../command/command.js";
import { CliError } from "../../core/cli-error.js";
import { type OwnBroker, startOwnBroker } from "./start-own-broker.js";

/** The broker that hosts the demo room. */
export interface StageBroker {
  readonly url: string;
  readonly address: ReachableAddress;
  /** The process of the broker, if the demo started it. */
  readonly own: OwnBroker | undefined;
}

/**
 * Finds the configured broker. Starts a temporary broker for the demo if no address is configured and none is
 * running, or if the broker admits only members.
 *
 * @throws CliError `unreachable` if an address is configured but does not respond
 */
export async function findStageBroker({ config, output, signal }: CommandContext): Promise<StageBroker> {
  const broker = await findBroker(config, signal);
  try {
    const { auth } = await broker.call("get_app_info", {});
    if (auth === "open") return { url: broker.base, address: broker.address, own: undefined };
  } catch (error) {
    const isAbsent = error instanceof CliError && error.code === "unreachable";
    if (isAbsent && config.broker.source === "default") {
      output.note(`No broker runs at ${broker.base}: starting one for the demo …`);
      return startOwn(signal);
    }
    if (!(error instanceof MerkleError && error.code === "unauthorized")) throw error;
  }
  // The demo's agents are not members, because the mesh's owner did not invite them.
  output.note(`The broker at ${broker.base} admits only members: starting another for the demo …`);
  return startOwn(signal);
}

async function startOwn(signal: AbortSignal): Promise<StageBroker> {
  const own = startOwnBroker();
  const stop = () => void own.stop();
  signal.addEventListener("abort", stop, { once: true });
  try {
    const url = readUrl(await own.firstLine);
    return { url, address: { base: url, source: "default" }, own };
  } catch (error) {
    await own.stop();
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** Returns the URL in the first line that `merkle up --json` prints. */
function readUrl(started: unknown): string {
  if (typeof started === "object" && started !== null && "url" in started) return String(started.url);
  throw new Error(`Expected the broker's address, got ${JSON.stringify(started)}.`);
}

/** Keeps the broker running until Ctrl+C, so that users can look around. */
export async function keepUntilStopped(
  { url, own }: StageBroker,
  { output, signal }: CommandContext,
): Promise<void> {
  output.note(`The demo's broker keeps running at ${url}; Ctrl+C stops and removes it.`);
  await Promise.race([own?.done, aborted(signal)]);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
