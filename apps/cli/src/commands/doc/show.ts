import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { exitCodes } from "../../core/cli-error.js";
import { findFlag, isSet } from "../../core/flags.js";
import { formatRemoval, readVersion } from "../../document/versions.js";
import { getSession } from "../../sessions/find-session.js";
import { printForeign, rawFlag } from "../../text/print-foreign.js";

export const docShow: Command = {
  name: "doc show",
  summary: "print the session's document",
  arguments: [{ name: "[session]", summary: "session slug, id or exact title (default: MERKLE_SESSION)" }],
  flags: [
    { flags: "--section <heading>", summary: "only the text below this heading" },
    { flags: "--version <number>", summary: "document version to print (default: the newest)" },
    rawFlag,
  ],
  examples: [
    "merkle doc show split-auth",
    "merkle doc show split-auth --section Decisions",
    "merkle doc show split-auth --version 12 > v12.md",
  ],
  async run({ args: [name], flags, config, output, signal }) {
    const section = findFlag(flags, "section");
    const version = readVersion(findFlag(flags, "version"), "--version");
    const broker = await findBroker(config, signal);
    const session = await getSession(broker, name, config);
    const doc = await broker.call("read_session_doc", {
      session_id: session.session_id,
      ...(section === undefined ? {} : { section }),
      ...(version === undefined ? {} : { version }),
    });
    if (doc.redacted_version !== undefined) {
      output.print(doc, "");
      output.note(`  document v${doc.redacted_version}: text ${formatRemoval(doc.redaction)}`);
      return exitCodes.done;
    }
    const content = doc.content ?? "";
    await printForeign(output, doc, content, { raw: isSet(flags, "raw") });
    output.note(content === "" ? `  document v${doc.version} is empty` : `  document v${doc.version}`);
    return exitCodes.done;
  },
};
