import { hostname } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { countClients, describeStopped } from "../broker/broker-facts.js";
import { findDemoBroker } from "../broker/demo-broker.js";
import { findRunningBroker, isRunning, type RunningBroker } from "../broker/run-file.js";
import type { Command, CommandContext } from "../command/command.js";
import { CliError, exitCodes, usageError } from "../core/cli-error.js";
import { findFlag } from "../core/flags.js";
import { homeFiles } from "../core/merkle-home.js";

export const down: Command = {
  name: "down",
  summary: "stop the broker of this Merkle home",
  examples: ["merkle down", "MERKLE_HOME=/srv/merkle merkle down", "merkle down --json"],
  offline: true,
  async run(context) {
    return stopBroker(context);
  },
};

const stopsWithinMs = 60_000;
const pollIntervalMs = 25;

/**
 * Stops this home's broker and waits until it has exited. Succeeds if no broker is running. Signals only a
 * process whose pid and start time match those in the broker's run file.
 */
async function stopBroker({ config, flags, output, signal }: CommandContext): Promise<number> {
  const { home, broker } = config;
  const running = await findRunningBroker(home);
  if (findFlag(flags, "url") !== undefined && broker.base !== running?.url)
    throw otherBroker(broker.base, home);
  if (!running) {
    output.show({ stopped: false, home }, `no broker runs on ${home}`);
    const demo = await findDemoBroker(home);
    if (demo) output.note(`The demo's broker runs at ${demo.url}; Ctrl+C where merkle demo runs stops it.`);
    return exitCodes.done;
  }
  if (running.host !== hostname()) throw elsewhere(home, running);
  const clients = await countClients(running.url, config);
  process.kill(running.pid, "SIGTERM");
  await waitUntilStopped(running, home, signal);
  output.show({ stopped: true, home, pid: running.pid, peers: clients }, describeStopped(clients));
  return exitCodes.done;
}

async function waitUntilStopped(running: RunningBroker, home: string, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + stopsWithinMs;
  while (await isRunning(running)) {
    if (Date.now() > deadline) throw stuck(running, home);
    await pause(pollIntervalMs, undefined, { signal });
  }
}

function otherBroker(base: string, home: string): CliError {
  return usageError(
    `merkle down stops only the broker of ${home}, which is not at ${base}. Nothing was stopped.`,
    "merkle down",
    "merkle down where that broker runs",
  );
}

function elsewhere(home: string, { pid, host }: RunningBroker): CliError {
  return new CliError(
    "other_host",
    `The broker for ${home} runs as process ${pid} on ${host}, not on this machine.`,
    {
      exitCode: exitCodes.unreachable,
      next: [`merkle down on ${host}`],
    },
  );
}

function stuck({ pid }: RunningBroker, home: string): CliError {
  return new CliError(
    "still_stopping",
    `Process ${pid} was asked to stop but is still running after ${stopsWithinMs / 1000} s. Its log is ${homeFiles.log(home)}.`,
    { exitCode: exitCodes.unexpected, next: [`kill -9 ${pid} (no acknowledged write is lost)`] },
  );
}
