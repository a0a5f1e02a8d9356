import type { BrokerClient } from "../../broker/broker-client.js";
import { CliError } from "../../core/cli-error.js";
import { checkLog } from "./check-log.js";
import { openMeshLog } from "./mesh-log.js";

/**
 * Compares the mesh's log with what this machine knows (WITNESS-29). Reports nothing if the broker cannot be
 * reached or shows no log; a later comparison finds the same.
 *
 * @returns the error to show prominently, or null
 */
export async function checkQuietly({
  home,
  broker,
}: {
  readonly home: string;
  readonly broker: Pick<BrokerClient, "call">;
}): Promise<CliError | null> {
  try {
    await checkLog(openMeshLog(broker), { home });
    return null;
  } catch (error) {
    const isAlarm = error instanceof CliError && (error.code === "fork" || error.code === "restored");
    return isAlarm ? error : null;
  }
}
