import { findBroker } from "../broker/broker-client.js";
import type { Command } from "../command/command.js";
import { exitCodes } from "../core/cli-error.js";
import { readWholeNumber } from "../core/flag-values.js";
import { findFlag } from "../core/flags.js";
import { getSessionActor } from "../identity/actors.js";
import { getSession } from "../sessions/find-session.js";
import { formatCount } from "../text/time.js";

const budgetMax = 1_000_000;

export const resume: Command = {
  name: "resume",
  summary: "end a hold, and let agents with a spent message budget post again",
  arguments: [{ name: "[session]", summary: "session slug, id or exact title (default: MERKLE_SESSION)" }],
  flags: [
    {
      flags: "--budget <number>",
      summary: "messages agents can post after each message from a human; 0 for no limit",
    },
  ],
  examples: ["merkle resume split-auth", "merkle resume split-auth --budget 50"],
  async run({ args: [name], flags, config, output, signal }) {
    const budget = readWholeNumber(findFlag(flags, "budget"), "--budget", { min: 0, max: budgetMax });
    const broker = await findBroker(config, signal);
    const session = await getSession(broker, name, config);
    const actor = await getSessionActor(session, { broker, config });
    const answer = await actor.call("resume_session", {
      session_id: session.session_id,
      ...(budget === undefined ? {} : { message_budget: budget }),
    });
    const { resumed, message_budget: left } = answer;
    const limit = left === 0 ? "" : `, ${formatCount(left, "message")} until the next message from a human`;
    output.show(
      answer,
      resumed
        ? `${output.mark.ok} resumed: agents can post${limit}`
        : `${output.mark.ok} was not held; agents can post${limit}`,
    );
    return exitCodes.done;
  },
};
