import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { exitCodes } from "../../core/cli-error.js";
import { toNumber } from "../../core/flag-values.js";
import { getPersonActor, getSessionActor } from "../../identity/actors.js";
import { getSession } from "../../sessions/find-session.js";

export const jobsCancel: Command = {
  name: "jobs cancel",
  summary: "cancel a waiting or running job; its agent is stopped",
  arguments: [{ name: "<number>", summary: "job number, from merkle jobs list" }],
  examples: ["merkle jobs cancel 12"],
  async run({ args: [number = ""], config, output, signal }) {
    const broker = await findBroker(config, signal);
    const job_id = toNumber(number, "A job");
    const { session } = await broker.call("get_job", { job_id });
    const acting = { broker, config };
    const actor =
      session === null
        ? getPersonActor(acting)
        : await getSessionActor(await getSession(broker, session, config), acting);
    const cancelled = await actor.call("cancel_job", { job_id });
    output.show(cancelled, `${output.mark.ok} job ${job_id} is cancelled`);
    return exitCodes.done;
  },
};
