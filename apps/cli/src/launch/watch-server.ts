import { setTimeout as delay } from "node:timers/promises";
import { isServing } from "../clients/serving.js";
import type { EndedServer, StandIn } from "../mcp/stand-in.js";

const checkIntervalMs = 1_000;
/**
 * After this many failed checks in a row, the server counts as ended. One failed check is not sufficient,
 * because a client that exits ends its server first.
 */
const failedChecksMin = 2;
/**
 * How many times to check whether a client has restarted its server on request, before a stand-in takes over.
 */
const reviveChecksMax = 10;

/**
 * Watches a client's MCP server while the client runs. If the server ends, asks the client to start another.
 * If none starts in time, a stand-in takes over until one does (WAKE-15). Returns a function that stops
 * watching.
 */
export function watchServer(server: EndedServer): () => Promise<void> {
  const { config, storedPeerId, client } = server;
  const standInChecks = client.restartServer ? reviveChecksMax : failedChecksMin;
  const stopped = new AbortController();
  const { signal } = stopped;
  const watching = watch().catch(() => undefined);

  async function watch(): Promise<void> {
    let standIn: StandIn | undefined;
    let hasServed = false;
    try {
      for (let failedChecks = 0; ; ) {
        await delay(checkIntervalMs, undefined, { signal, ref: false });
        const isRunning = isServing(config.home, storedPeerId);
        hasServed ||= isRunning;
        failedChecks = isRunning || !hasServed ? 0 : failedChecks + 1;
        if (failedChecks % reviveChecksMax === failedChecksMin)
          await client.restartServer?.({ home: config.home, storedPeerId }).catch(() => undefined);
        if (failedChecks >= standInChecks) standIn ??= await open();
        if (isRunning) {
          await standIn?.stop();
          standIn = undefined;
        }
        await standIn?.refreshCursors();
      }
    } finally {
      await standIn?.stop();
    }
  }

  /** Opens the stand-in. Its code is loaded on demand, because most launches never need it. */
  async function open(): Promise<StandIn | undefined> {
    const { openStandIn } = await import("../mcp/stand-in.js");
    signal.throwIfAborted();
    return openStandIn(server);
  }

  return async () => {
    stopped.abort();
    await watching;
  };
}
