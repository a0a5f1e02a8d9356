import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { exitCodes, usageError } from "../../core/cli-error.js";
import { toNumber } from "../../core/flag-values.js";
import { findFlag, isSet } from "../../core/flags.js";
import { getSessionActor } from "../../identity/actors.js";
import { getSession } from "../../sessions/find-session.js";
import { showQueued } from "./text/format-jobs.js";

const kinds = ["conclude", "incorporate", "perspective"] as const;

export const jobsRun: Command = {
  name: "jobs run",
  summary: "have a headless agent work on a session's document; its result is a proposal",
  arguments: [
    { name: "<session>", summary: "session slug, id or exact title" },
    {
      name: "<conclude|incorporate|perspective>",
      summary:
        "conclude (draft the conclusion), incorporate (rewrite for a topic) or perspective (review as a persona)",
    },
  ],
  flags: [
    { flags: "--topic <number>", summary: "with incorporate: topic number" },
    { flags: "--persona <name>", summary: "with perspective: persona name" },
    { flags: "--force", summary: "with perspective: run even if nothing has changed since the last review" },
  ],
  examples: [
    "merkle jobs run split-auth conclude",
    "merkle jobs run split-auth incorporate --topic 4",
    "merkle jobs run split-auth perspective --persona Sceptic",
  ],
  async run({ args: [name, kindText = ""], flags, config, output, signal }) {
    const kind = kinds.find((each) => each === kindText);
    if (!kind)
      throw usageError(
        `The kind of job must be one of ${kinds.join(", ")}, got ${JSON.stringify(kindText)}.`,
      );
    const topic = findFlag(flags, "topic");
    const broker = await findBroker(config, signal);
    const session = await getSession(broker, name, config);
    const actor = await getSessionActor(session, { broker, config });
    const job = await actor.call("start_job", {
      kind,
      session_id: session.session_id,
      topic_id: topic === undefined ? undefined : toNumber(topic, "A topic"),
      persona_name: findFlag(flags, "persona"),
      again: isSet(flags, "force"),
    });
    showQueued(job, output);
    return exitCodes.done;
  },
};
