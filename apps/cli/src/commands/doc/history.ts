import type { OutputOf } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import type { Output } from "../../command/output.js";
import { exitCodes, usageError } from "../../core/cli-error.js";
import { findFlag } from "../../core/flags.js";
import { formatRemoval, readVersion } from "../../document/versions.js";
import { getSession } from "../../sessions/find-session.js";
import { toOneLine } from "../../text/one-line.js";
import { formatTable } from "../../text/table.js";
import { toMoment } from "../../text/time.js";

export const docHistory: Command = {
  name: "doc history",
  summary: "list document versions, newest first",
  arguments: [{ name: "[session]", summary: "session slug, id or exact title (default: MERKLE_SESSION)" }],
  flags: [
    { flags: "--before <version>", summary: "only versions older than this" },
    { flags: "--limit <number>", summary: "maximum number of results, up to 500 (default: 20)" },
  ],
  examples: [
    "merkle doc history split-auth",
    "merkle doc history split-auth --before 40",
    "merkle doc history split-auth --json",
  ],
  async run({ args: [name], flags, config, output, signal }) {
    const before = readVersion(findFlag(flags, "before"), "--before");
    const limit = Number(findFlag(flags, "limit") ?? 20);
    if (!Number.isInteger(limit) || limit < 1 || limit > limits.versionsPageMax) {
      throw usageError(`--limit must be a whole number from 1 to ${limits.versionsPageMax}.`);
    }
    const broker = await findBroker(config, signal);
    const session = await getSession(broker, name, config);
    const page = await broker.call("list_doc_versions", {
      session_id: session.session_id,
      limit,
      ...(before === undefined ? {} : { before_version: before }),
    });
    if (output.json) output.show(page, "");
    else if (page.versions.length === 0) output.note("  the document is still empty");
    else output.show(page, await formatVersions(page, output));
    if (page.has_more)
      output.note(`  older: merkle doc history ${session.slug} --before ${page.versions.at(-1)?.version}`);
    return exitCodes.done;
  },
};

async function formatVersions({ versions }: OutputOf<"list_doc_versions">, output: Output): Promise<string> {
  const rows = versions.map((each) => [
    { text: `v${each.version}`, paint: output.bold },
    { text: toOneLine(each.written_by) },
    { text: toMoment(each.written_at) },
    { text: each.redaction ? formatRemoval(each.redaction) : `${each.bytes.toLocaleString("en")} bytes` },
    { text: `after #${each.after_sequence}`, paint: output.dim },
  ]);
  return formatTable(rows, { columns: output.columns, flexible: 1, more: output.signs.more });
}
