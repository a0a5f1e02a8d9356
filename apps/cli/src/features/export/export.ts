import { pipeline } from "node:stream/promises";
import { exportFormats, shortenHash } from "@merkle/wire";
import { describeBytes } from "@merkle/wire/text";
import { type BrokerClient, findBroker } from "../../broker/broker-client.js";
import { download, toExportPath } from "../../broker/download.js";
import type { Command, CommandContext } from "../../command/command.js";
import { exitCodes, usageError } from "../../core/cli-error.js";
import { readOneOf } from "../../core/flag-values.js";
import { findFlag, isSet } from "../../core/flags.js";
import { refuseExisting, writeWhole } from "../../core/write-whole.js";
import { getSession } from "../../sessions/find-session.js";
import { formatCount } from "../../text/time.js";
import { checkSeen } from "../seal/feature.js";
import { loadVerifyFile } from "../verify/feature.js";

export const exportCommand: Command = {
  name: "export",
  summary: "export a session to a file that others can verify, read or import",
  arguments: [{ name: "[session]", summary: "session slug, id or exact title (default: MERKLE_SESSION)" }],
  flags: [
    {
      flags: "-o, --output <file>",
      summary: "output file; - for stdout (default: <session>.zip in this folder)",
    },
    {
      flags: "--as <form>",
      summary:
        "format: bundle (to verify and import), html (a page that verifies itself offline), md (to read) or ndjson (one message per line) (default: bundle)",
    },
    { flags: "--force", summary: "replace an existing file" },
  ],
  examples: [
    "merkle export split-auth",
    "merkle export split-auth --as html -o split.html",
    "merkle export split-auth --as md -o split.md",
    "merkle export split-auth --as ndjson -o - | jq .content.text",
  ],
  async run(context) {
    const { args, flags, config, io, output, signal } = context;
    const format = readOneOf(findFlag(flags, "as"), "--as", exportFormats) ?? "bundle";
    const outputPath = findFlag(flags, "output");
    if (outputPath === "-" && output.json) {
      throw usageError("-o - writes the file to stdout, so it cannot be combined with --json.");
    }
    const broker = await findBroker(config, signal);
    const session = await getSession(broker, args[0], config);
    const path = outputPath ?? `${session.slug}.${format === "bundle" ? "zip" : format}`;
    const replace = isSet(flags, "force");
    if (path !== "-") refuseExisting(path, replace);

    const what = formatCount(session.last_sequence, "message");
    const source = { broker, path: toExportPath(session.session_id, format), what, flags, io, signal };
    if (path === "-") {
      await download(source, async (bytes) => {
        await pipeline(bytes, io.stdout, { signal, end: false });
      });
      return exitCodes.done;
    }
    const bytes = await download(source, (stream) => writeWhole(path, stream, { replace, signal }));
    if (format !== "bundle" && format !== "html") {
      output.show(
        { file: path, bytes, as: format, session_id: session.session_id },
        `${output.mark.ok} ${describeBytes(bytes)} in ${path}`,
      );
      return exitCodes.done;
    }
    await reportBundle(context, { path, bytes, format, broker, sessionId: session.session_id });
    return exitCodes.done;
  },
};

/**
 * Checks that the exported record continues the record last seen on this machine, and prints the main facts
 * about it.
 */
async function reportBundle(
  { config, output }: CommandContext,
  {
    path,
    bytes,
    format,
    broker,
    sessionId,
  }: {
    readonly path: string;
    readonly bytes: number;
    readonly format: "bundle" | "html";
    readonly broker: BrokerClient;
    readonly sessionId: string;
  },
): Promise<void> {
  const { manifest, keys } = await (await loadVerifyFile()).readBundleFacts(path);
  const { size, document_version, head } = manifest;
  await checkSeen({ head, keys }, { home: config.home, broker, sessionId });
  output.show(
    { file: path, bytes, as: format, session_id: head.session_id, size, document_version, root: head.root },
    `${output.mark.ok} ${formatCount(size, "message")}, ${formatCount(document_version, "version")}, root ${shortenHash(head.root)} in ${path}`,
  );
  output.note(`  check: merkle verify ${path}`);
}
