import { setTimeout as delay } from "node:timers/promises";
import { isServing } from "../clients/serving.js";
import type { StandIn, Watched } from "../mcp/stand-in.js";

const lookMs = 1_000;
/** A client that ends ends its server first. */
const goneLooks = 2;
/** How many looks a client that was told to has for starting another. */
const reviveLooks = 10;

/**
 * Watches the MCP server of a client for as long as the client runs: where it ends by itself, the client is told to start
 * another, and this process stands in for it until there is one (WAKE-15). Returns how to stop.
 */
export function watchServer(watched: Watched): () => Promise<void> {
  const { config, placeId, client } = watched;
  const standInLooks = client.reviveServer ? reviveLooks : goneLooks;
  const stopped = new AbortController();
  const { signal } = stopped;
  const watching = watch().catch(() => undefined);

  async function watch(): Promise<void> {
    let standIn: StandIn | undefined;
    let hasServed = false;
    try {
      for (let gone = 0; ; ) {
        await delay(lookMs, undefined, { signal, ref: false });
        const serves = isServing(config.home, placeId);
        hasServed ||= serves;
        gone = serves || !hasServed ? 0 : gone + 1;
        if (gone % reviveLooks === goneLooks)
          await client.reviveServer?.({ home: config.home, placeId }).catch(() => undefined);
        if (gone >= standInLooks) standIn ??= await open();
        if (serves) {
          await standIn?.stop();
          standIn = undefined;
        }
        await standIn?.look();
      }
    } finally {
      await standIn?.stop();
    }
  }

  /** The code of the stand-in is loaded only now: mostly it is never needed. */
  async function open(): Promise<StandIn | undefined> {
    const { openStandIn } = await import("../mcp/stand-in.js");
    signal.throwIfAborted();
    return openStandIn(watched);
  }

  return async () => {
    stopped.abort();
    await watching;
  };
}
