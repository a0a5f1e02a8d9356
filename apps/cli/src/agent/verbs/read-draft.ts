import { CliError, exitCodes } from "../../core/cli-error.js";
import type { Verb } from "../../work/agent/verb.js";
import { pageOfText } from "../pages.js";

/** A page of the draft that was sent back for changes, and that the job starts from (AGENT-11). */
export const readDraft: Verb = {
  name: "read-draft",
  usage: "--id <returned draft> [--offset <next of the last page>]",
  options: { id: { type: "string" }, offset: { type: "string" } },
  async run({ client, options }) {
    const proposal_id = options.number("id");
    const draft = await client.call("get_proposal", { proposal_id });
    if (draft.content === null) {
      throw new CliError("not_found", `The text of draft ${proposal_id} was removed.`, {
        exitCode: exitCodes.not_found,
      });
    }
    const { base_version, base_sha, note, remark } = draft;
    const page = pageOfText(draft.content, options.findNumber("offset") ?? 0);
    return { base_version, base_sha, note, changes_asked_for: remark, ...page };
  },
};
