import type { Services } from "../context.js";
import { within } from "../within.js";

/** What `/health` says: the process answers, takes calls, and could write durably when it last looked (OPS-2). */
export interface Health {
  readonly live: true;
  readonly ready: boolean;
  readonly durable: boolean;
  readonly version: string;
  readonly epoch: string;
  readonly uptime_s: number;
}

export async function checkHealth(services: Services): Promise<Health> {
  const ready = !services.stopping.aborted;
  return {
    live: true,
    ready,
    durable: ready && (await isDurable(services)),
    version: services.version,
    epoch: services.database.epoch,
    uptime_s: Math.floor((Date.now() - services.startedAt.getTime()) / 1000),
  };
}

/** Who asks for health does not wait long for an answer. */
const silentMsMax = 2_000;

async function isDurable({ database }: Services): Promise<boolean> {
  try {
    return await within(database.isDurable(), silentMsMax, "none");
  } catch {
    // Whatever the reason: at this moment nothing can be promised.
    return false;
  }
}
