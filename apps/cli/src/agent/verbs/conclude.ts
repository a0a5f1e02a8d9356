import { limits } from "@merkle/wire/plain";
import type { Verb } from "../../work/agent/verb.js";
import { sessionOf } from "../session-of.js";

/**
 * Gives the text on stdin as the session's Conclusion: as a proposal to a person, or, where the session says that its agent
 * concludes, as the Conclusion itself (AGENT-6).
 */
export const conclude: Verb = {
  name: "conclude",
  usage: "--base-version <version of the document that was read> [--note <text>] [--braces] < text",
  options: { braces: { type: "boolean" }, "base-version": { type: "string" }, note: { type: "string" } },
  async run({ client, options, readText }) {
    const session_id = sessionOf(await client.job());
    const base_version = options.number("base-version");
    const content = await readText(limits.documentBytesMax);
    const { settings } = await client.call("get_session", { session_id });
    if (settings.agent_concludes === "proposes") {
      const note = options.findText("note");
      return client.call("insert_proposal", { session_id, base_version, content, note });
    }
    const { doc_version } = await client.call("conclude_session", { session_id, summary_section: content });
    return { concluded: true, document_version: doc_version };
  },
};
