import { CliError, exitCodes } from "../../core/cli-error.js";
import type { Verb } from "../../work/agent/verb.js";
import { pageOfText } from "../pages.js";
import { sessionOf } from "../session-of.js";

/** A page of the session's document, as it stands or stood at a version, and where the next one begins (AGENT-5). */
export const readDoc: Verb = {
  name: "read-doc",
  usage: "[--version <version> --offset <next of the last page>]",
  options: { version: { type: "string" }, offset: { type: "string" } },
  async run({ client, options }) {
    const session_id = sessionOf(await client.job());
    const version = options.findNumber("version");
    const read = await client.call("read_session_doc", { session_id, version });
    if (read.content === undefined) {
      throw new CliError("not_found", `The text of version ${read.redacted_version} was removed.`, {
        exitCode: exitCodes.not_found,
      });
    }
    const page = pageOfText(read.content, options.findNumber("offset") ?? 0);
    return { version: read.version, current_version: read.current_version, ...page };
  },
};
