import type { Verb } from "../../work/agent/verb.js";
import { pageOfText } from "../pages.js";
import { sourceOf } from "../source-of.js";

/** A page of the file that the job is about, as it lies there or as it was, and where the next one begins (AGENT-5). */
export const readSource: Verb = {
  name: "read-source",
  usage: "[--source-path <root/path>] [--sha <sha> --offset <next of the last page>]",
  options: { "source-path": { type: "string" }, sha: { type: "string" }, offset: { type: "string" } },
  async run({ client, options }) {
    const source_path = options.findText("source-path") ?? sourceOf(await client.job());
    const source_sha = options.findText("sha");
    const read = await client.call("read_source", { source_path, source_sha });
    return { sha: read.source_sha, ...pageOfText(read.text, options.findNumber("offset") ?? 0) };
  },
};
