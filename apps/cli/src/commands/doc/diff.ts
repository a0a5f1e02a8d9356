import type { OutputOf, Session } from "@merkle/wire";
import { type BrokerClient, findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { exitCodes } from "../../core/cli-error.js";
import { isSet } from "../../core/flags.js";
import { formatChange } from "../../document/document-change.js";
import { formatRemoval, readVersionRange, type VersionSelection } from "../../document/versions.js";
import { resolveSessionArgument } from "../../sessions/find-session.js";
import { rawFlag } from "../../text/print-foreign.js";

export const docDiff: Command = {
  name: "doc diff",
  summary: "show what changed in the document, where, and by whom",
  arguments: [
    { name: "[session]", summary: "session slug, id or exact title (default: MERKLE_SESSION)" },
    {
      name: "[versions]",
      summary: "version range 13..14, or 13 for all changes since then (default: the last change)",
    },
  ],
  flags: [rawFlag],
  examples: [
    "merkle doc diff split-auth",
    "merkle doc diff split-auth 13..14",
    "merkle doc diff split-auth 13 --json",
  ],
  async run({ args, flags, config, output, signal }) {
    const broker = await findBroker(config, signal);
    const { session, rest } = await resolveSessionArgument(broker, args, config);
    const raw = isSet(flags, "raw");
    const { from, diff } = await readDiff(broker, session, readVersionRange(rest));
    if (output.json || diff.version === 0) {
      output.print(diff, "");
      if (diff.version === 0) output.note("  the document is still empty");
      return exitCodes.done;
    }
    if (diff.redacted_version !== undefined) {
      output.note(`  no diff: the text of v${diff.redacted_version} was ${formatRemoval(diff.redaction)}`);
      return exitCodes.done;
    }
    const text = await formatChange(diff, { broker, output, session, from, raw });
    if (raw) output.print(diff, text);
    else await output.pageDocument(diff, text);
    return exitCodes.done;
  },
};

async function readDiff(
  broker: BrokerClient,
  session: Session,
  range: VersionSelection,
): Promise<{ from: number; diff: OutputOf<"read_session_doc"> }> {
  const from = range.from ?? Math.max(0, session.document_version - 1);
  const to = range.to ?? (range.from === undefined ? session.document_version : undefined);
  const diff = await broker.call("read_session_doc", {
    session_id: session.session_id,
    since_version: from,
    ...(to === undefined ? {} : { version: to }),
  });
  return { from, diff };
}
