import type { DocumentVersion } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { formatNumber } from "@merkle/wire/text";
import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { type Column, limitFlag, readLimit, showList, webFlag } from "../../command/list.js";
import type { Output } from "../../command/output.js";
import { toSessionPath } from "../../core/address.js";
import { exitCodes } from "../../core/cli-error.js";
import { findFlag, isSet } from "../../core/flags.js";
import { formatRemoval, readVersion } from "../../document/versions.js";
import { openPage } from "../../identity/open-page.js";
import { getSession } from "../../sessions/find-session.js";
import { toOneLine } from "../../text/one-line.js";
import { toMoment } from "../../text/time.js";

const versionsUsual = 20;

export const docHistory: Command = {
  name: "doc history",
  summary: "list document versions, newest first",
  arguments: [{ name: "[session]", summary: "session slug, id or exact title (default: MERKLE_SESSION)" }],
  flags: [
    { flags: "--before <version>", summary: "only versions older than this" },
    limitFlag(versionsUsual, limits.versionsPageMax),
    webFlag,
  ],
  examples: [
    "merkle doc history split-auth",
    "merkle doc history split-auth --before 40",
    "merkle doc history split-auth --json",
  ],
  list: { operation: "list_doc_versions", rows: "versions" },
  async run(context) {
    const { args, flags, config, output, signal } = context;
    const before = readVersion(findFlag(flags, "before"), "--before");
    const limit = readLimit(flags, limits.versionsPageMax) ?? versionsUsual;
    const broker = await findBroker(config, signal);
    const session = await getSession(broker, args[0], config);
    if (isSet(flags, "web")) return openPage(context, broker, toSessionPath(session, "doc"));
    const page = await broker.call("list_doc_versions", {
      session_id: session.session_id,
      limit,
      ...(before === undefined ? {} : { before_version: before }),
    });
    await showList(
      {
        value: page,
        rows: page.versions,
        columns: listColumns(output),
        // Versions have no gaps, so the newest one of the page is also their number.
        ...(page.has_more && { total: page.versions[0]?.version }),
        rest: `older: merkle doc history ${session.slug} --before ${page.versions.at(-1)?.version}`,
        empty: "  the document is still empty",
      },
      context,
    );
    return exitCodes.done;
  },
};

function listColumns({ bold, dim }: Output): Column<DocumentVersion>[] {
  return [
    { head: "Version", cell: ({ version }) => ({ text: `v${version}`, paint: bold }) },
    { head: "By", widthMin: 12, cell: ({ written_by }) => toOneLine(written_by) },
    { head: "Written", cell: ({ written_at }) => toMoment(written_at) },
    {
      head: "Size",
      widthMin: 12,
      cell: ({ redaction, bytes }) => (redaction ? formatRemoval(redaction) : `${formatNumber(bytes)} bytes`),
    },
    {
      head: "Feed",
      isOptional: true,
      cell: ({ after_sequence }) => ({ text: `after #${after_sequence}`, paint: dim }),
    },
  ];
}
