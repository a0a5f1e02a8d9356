import type { ReplicaState, WriteProblem } from "@merkle/db";
import { buildNumber } from "@merkle/wire";
import { withTimeout } from "../../core/with-timeout.js";
import type { Services } from "../services.js";

/** The reply of `/health`: whether the process runs, accepts calls and can write durably (OPS-2). */
export interface BrokerHealth {
  readonly live: true;
  readonly ready: boolean;
  readonly durable: boolean;
  /** The problem that prevents writing, or null. */
  readonly problem: WriteProblem | null;
  /**
   * Whether the broker accepts calls even though its bus is down (NODE-3) or a repeated task keeps failing.
   */
  readonly degraded: boolean;
  /** The names of the repeated tasks whose last three runs failed. */
  readonly failing_tasks: readonly string[];
  /**
   * State of the read replica: whether reads use it, and the reason if they do not. Null if there is no
   * replica (SCALE-4).
   */
  readonly replica: ReplicaState | null;
  readonly node: string;
  readonly version: string;
  readonly build: number;
  readonly epoch: string;
  readonly uptime_s: number;
  /** The time on the broker's clock, with which a client can compare its own. */
  readonly time: string;
}

export async function checkHealth(services: Services): Promise<BrokerHealth> {
  const isReady = !services.stopping.aborted;
  const problem = isReady ? await findProblem(services) : null;
  const { failing } = services.tasks;
  return {
    live: true,
    ready: isReady,
    durable: isReady && problem === null,
    problem,
    degraded: !services.bus.isUp || failing.length > 0,
    failing_tasks: failing,
    replica: services.database.replica?.state ?? null,
    node: services.nodes.id,
    version: services.version,
    build: buildNumber,
    epoch: services.database.epoch,
    uptime_s: Math.floor((Date.now() - services.startedAt.getTime()) / 1000),
    time: new Date().toISOString(),
  };
}

/** Maximum time for a test write. Monitoring tools do not wait long for a reply. */
const silentMsMax = 2_000;

async function findProblem({ database, isAlone }: Services): Promise<WriteProblem | null> {
  try {
    const problem = await withTimeout(database.findWriteProblem(), silentMsMax, "none");
    // A node without its node lock serves no calls, even if the database accepts writes.
    return problem ?? (isAlone() ? null : "lock");
  } catch {
    // Any other failure also means that durable writes cannot be promised now.
    return "unreachable";
  }
}
