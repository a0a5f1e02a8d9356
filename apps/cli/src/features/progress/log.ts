import { limits } from "@merkle/wire/limits";
import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { readText } from "../../command/read-text.js";
import { exitCodes } from "../../core/cli-error.js";
import { findFlag, listFlagValues, splitList } from "../../core/flags.js";
import { getMeshActor } from "../../identity/actors.js";
import { chooseProject } from "../../sessions/find-project.js";
import { toOneLine } from "../../text/one-line.js";

export const progressLog: Command = {
  name: "progress log",
  summary: "log finished work; prints the entry's id",
  arguments: [
    { name: "<title>", summary: "what was done, in one line" },
    { name: "[text]", summary: "details; - or a pipe reads them from stdin" },
  ],
  flags: [
    { flags: "--project <name>", summary: "project name (default: the repository's name)" },
    { flags: "--tag <tag>", summary: "tag; repeat or use commas for several", repeatable: true },
    { flags: "--agent <name>", summary: "agent that did the work" },
  ],
  examples: [
    'merkle progress log "Issuer tables done" "Migration 12 adds them; see src/issuers." --tag auth',
    'merkle progress log "Rate limits" - --project payments < notes.md',
  ],
  async run({ args: [title = "", given], flags, config, io, output, signal }) {
    const usage = "merkle progress log <title> <text>";
    const projectId = await chooseProject(findFlag(flags, "project"), usage, io);
    const name = "the details";
    const text = await readText({
      given,
      name,
      usage,
      bytesMax: 4 * limits.progressContentCharsMax,
      io,
      signal,
    });
    const actor = await getMeshActor({ broker: await findBroker(config, signal), config });
    const agentId = findFlag(flags, "agent");
    const entry = await actor.call("log_progress", {
      projectId,
      title,
      content: text.replace(/(?:\r?\n)+$/, ""),
      tags: splitList(listFlagValues(flags, "tag")),
      ...(agentId === undefined ? {} : { agentId }),
    });
    output.show(entry, `${output.mark.ok} ${entry.id}`);
    output.note(`  in project ${toOneLine(entry.projectId)}`);
    return exitCodes.done;
  },
};
