import { MerkleError } from "@merkle/wire";
import { findBroker } from "../../broker/broker-client.js";
import type { ReachableAddress } from "../../broker/reach.js";
import type { CommandContext } from "../../command/command.js";
import { CliError } from "../../core/cli-error.js";
import { type OwnBroker, startOwnBroker } from "./start-own-broker.js";

/** The broker that has the demo's room. */
export interface StageBroker {
  readonly url: string;
  readonly address: ReachableAddress;
  /** Its process, when the demo has started it. */
  readonly own: OwnBroker | undefined;
}

/**
 * Finds the broker that is configured. Where nobody has named one and none runs, or it lets members in alone, one is started
 * that lives no longer than the demo.
 *
 * @throws CliError `unreachable`, when somebody has named one and it does not answer
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
  // Its cast are nobody's members, and whose mesh it is did not ask for them.
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

/** The first line of `merkle up --json`. */
function readUrl(started: unknown): string {
  if (typeof started === "object" && started !== null && "url" in started) return String(started.url);
  throw new Error(`Expected the broker's address, got ${JSON.stringify(started)}.`);
}

/** Leaves the broker to whoever wants to look around, until Ctrl+C. */
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
