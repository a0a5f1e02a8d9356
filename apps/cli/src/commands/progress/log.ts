import { limits } from "@merkle/wire/limits";
import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { listOf, splitList, textOf } from "../../command/flags.js";
import { readText } from "../../command/read-text.js";
import { exitCodes } from "../../core/cli-error.js";
import { actingInMesh } from "../../identity/acting.js";
import { chooseProject } from "../../progress/find-project.js";
import { oneLine } from "../../text/one-line.js";

export const progressLog: Command = {
  name: "progress log",
  summary: "log what was done, and how; prints its id",
  arguments: [
    { name: "<title>", summary: "what was done, in a line" },
    { name: "[text]", summary: "how it was done; - reads it from stdin, as does a pipe" },
  ],
  flags: [
    { flags: "--project <name>", summary: "the repository's name unless told" },
    { flags: "--tag <tag>", summary: "what it is about; again or with commas for several", repeatable: true },
    { flags: "--agent <name>", summary: "which agent did it" },
  ],
  examples: [
    'merkle progress log "Issuer tables done" "Migration 12 adds them; see src/issuers." --tag auth',
    'merkle progress log "Rate limits" - --project payments < notes.md',
  ],
  async run({ args: [title = "", given], flags, config, io, output, signal }) {
    const usage = "merkle progress log <title> <text>";
    const projectId = await chooseProject(textOf(flags, "project"), usage, io);
    const name = "how it was done";
    const text = await readText({
      given,
      name,
      usage,
      bytesMax: 4 * limits.progressContentCharsMax,
      io,
      signal,
    });
    const actor = await actingInMesh({ broker: await findBroker(config, signal), config });
    const agentId = textOf(flags, "agent");
    const logged = await actor.call("log_progress", {
      projectId,
      title,
      content: text.replace(/(?:\r?\n)+$/, ""),
      tags: splitList(listOf(flags, "tag")),
      ...(agentId === undefined ? {} : { agentId }),
    });
    output.show(logged, `${output.mark.ok} ${logged.id}`);
    output.note(`  in project ${oneLine(logged.projectId)}`);
    return exitCodes.done;
  },
};
