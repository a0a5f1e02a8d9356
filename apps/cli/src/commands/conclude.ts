import { formatSealSummary } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { findBroker } from "../broker/broker-client.js";
import { askYesOrNo, canAsk } from "../command/ask.js";
import type { Command, CommandContext } from "../command/command.js";
import { readFileText, readText } from "../command/read-text.js";
import { exitCodes, usageError } from "../core/cli-error.js";
import { findFlag, isSet } from "../core/flags.js";
import { draftConclusion } from "../feature-hooks.js";
import { getSessionActor } from "../identity/actors.js";
import { resolveSessionArgument } from "../sessions/find-session.js";
import { toOneLine } from "../text/one-line.js";
import { formatCount } from "../text/time.js";

export const conclude: Command = {
  name: "conclude",
  summary: "end a session for everyone, with a conclusion in its document",
  arguments: [
    { name: "[session]", summary: "session slug, id or exact title (default: MERKLE_SESSION)" },
    { name: "[text]", summary: "the conclusion in markdown; - reads it from stdin, as does a pipe" },
  ],
  flags: [
    { flags: "--file <path>", summary: "read the conclusion from a file; - for stdin" },
    {
      flags: "--draft",
      summary:
        "have a headless agent draft the conclusion from the feed and the document, for a person to review",
    },
    { flags: "-y, --yes", summary: "skip the confirmation prompt" },
  ],
  examples: [
    'merkle conclude split-auth "Tokens are short-lived. Resume at the refresh flow."',
    "merkle conclude split-auth --file conclusion.md -y",
    "merkle conclude split-auth --draft",
    "merkle doc show old-work --section Conclusion | merkle conclude split-auth",
  ],
  async run(context) {
    const { args, config, output, signal } = context;
    const broker = await findBroker(config, signal);
    const { session, rest } = await resolveSessionArgument(broker, args, config);
    if (isSet(context.flags, "draft")) {
      if (rest !== undefined || findFlag(context.flags, "file") !== undefined)
        throw usageError("--draft has an agent write the conclusion, so it cannot be combined with a text.");
      return draftConclusion(context, { broker, session });
    }
    const summary = await readSummary(context, rest, session.slug);
    const actor = await getSessionActor(session, { broker, config });
    const question = `Conclude ${JSON.stringify(toOneLine(session.title))} for ${formatCount(session.teams, "team")}?`;
    if (!(await askToConfirm(context, question))) {
      output.note("  not concluded");
      return exitCodes.interrupted;
    }
    const concluded = await actor.call("conclude_session", {
      session_id: session.session_id,
      summary_section: summary,
    });
    output.show(
      concluded,
      `${output.mark.ok} concluded ${session.slug}, document v${concluded.doc_version}\n${output.mark.ok} ${formatSealSummary(concluded.seal)}`,
    );
    return exitCodes.done;
  },
};

async function readSummary(
  { flags, io, signal }: CommandContext,
  text: string | undefined,
  slug: string,
): Promise<string> {
  const file = findFlag(flags, "file");
  const usage = `merkle conclude ${slug} <text>`;
  if (file !== undefined && text !== undefined)
    throw usageError("Give the conclusion as text or with --file, not both.");
  if (file !== undefined && file !== "-") return readFileText(file, limits.documentBytesMax, io);
  return readText({
    given: file ?? text,
    name: "the conclusion",
    usage,
    bytesMax: limits.documentBytesMax,
    io,
    signal,
  });
}

/**
 * Asks a person at a terminal for confirmation. Without a terminal, passing the conclusion counts as
 * confirmation.
 */
async function askToConfirm(context: CommandContext, question: string): Promise<boolean> {
  return isSet(context.flags, "yes") || !canAsk(context) ? true : askYesOrNo(question, context);
}
