import type { CommandContext } from "../command/command.js";
import { readConfig } from "../config.js";
import { runBroker } from "../start/run-broker.js";
import { withTemporaryHome } from "./temporary-home.js";

/** Runs a broker as `merkle up` does, on a home that is gone when it has stopped. Nothing of this machine's own is used. */
export function runOwnBroker(context: CommandContext): Promise<number> {
  return withTemporaryHome(async (home) => {
    const config = await readConfig({ flags: { port: "0" }, env: { MERKLE_HOME: home }, cwd: home });
    return runBroker({ ...context, config });
  });
}
