import { setTimeout } from "node:timers/promises";
import type { Cluster } from "./launch.js";
import { obtainPostmaster, type Postmaster, shutDown } from "./postmaster.js";

export interface Supervisor {
  /** The server that is currently running. A restart replaces it. */
  readonly current: Postmaster;
  /**
   * Stops supervising the server, and stops the server. Resolves when the server has exited. May be called more than once.
   */
  stop(): Promise<void>;
}

export interface SupervisorOptions {
  log: (line: string) => void;
  onDown: (reason: string) => void;
}

/** If a server ran for at least this long, it was healthy, so its next restart needs no delay. */
const HEALTHY_MS = 10_000;
const DELAY_MS_MAX = 5_000;

/**
 * Keeps the server running until `stop` is called. A server that dies unexpectedly is restarted at the same
 * address: immediately the first time, and with increasing delays if it keeps dying. Clients reconnect
 * automatically.
 */
export function supervise(cluster: Cluster, first: Postmaster, options: SupervisorOptions): Supervisor {
  const stopping = new AbortController();
  const state: SupervisorState = { current: first, isRunning: true, failures: 0 };
  const watching = watch({ ...cluster, endpoint: first.endpoint }, state, stopping.signal, options);
  let stopped: Promise<void> | undefined;

  async function stop(): Promise<void> {
    stopping.abort();
    // Waits for a restart in progress, so that the server it has started can be stopped below.
    await watching;
    if (state.isRunning) await shutDown(state.current, cluster.paths.data, cluster.binaries);
  }

  return {
    get current() {
      return state.current;
    },
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };
}

interface SupervisorState {
  current: Postmaster;
  isRunning: boolean;
  /** Number of crashes and failed starts since the server was last healthy. */
  failures: number;
}

async function watch(
  cluster: Cluster,
  state: SupervisorState,
  signal: AbortSignal,
  options: SupervisorOptions,
): Promise<void> {
  while (!signal.aborted) {
    const since = Date.now();
    await Promise.race([state.current.exited.then(() => markDied(state)), waitForAbort(signal)]);
    if (state.isRunning) return;
    if (Date.now() - since > HEALTHY_MS) state.failures = 0;
    options.onDown(`PostgreSQL (pid ${state.current.pid}) died`);
    await restart(cluster, state, signal, options.log);
  }
}

/** Retries until the server runs or the supervision ends. */
async function restart(
  cluster: Cluster,
  state: SupervisorState,
  signal: AbortSignal,
  log: (line: string) => void,
) {
  while (!signal.aborted && !state.isRunning) {
    await pause(restartDelayMs(state.failures), signal);
    if (signal.aborted) return;
    state.failures += 1;
    try {
      state.current = await obtainPostmaster(cluster, log);
      state.isRunning = true;
      log(`PostgreSQL runs again, pid ${state.current.pid}`);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log(
        `PostgreSQL could not be restarted, next attempt in ${restartDelayMs(state.failures)} ms: ${reason}`,
      );
    }
  }
}

function restartDelayMs(failures: number): number {
  return failures === 0 ? 0 : Math.min(100 * 2 ** (failures - 1), DELAY_MS_MAX);
}

function markDied(state: SupervisorState): void {
  state.isRunning = false;
}

function waitForAbort(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** Resolves after `ms`, or immediately when the signal is aborted. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return setTimeout(ms, undefined, { signal, ref: false }).catch(() => {});
}
