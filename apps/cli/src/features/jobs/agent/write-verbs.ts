import { limits } from "@merkle/wire/limits";
import { CliError, exitCodes } from "../../../core/cli-error.js";
import { applyEdits } from "./apply-edits.js";
import { getJobOnSource, getSessionId, getSourcePath, type JobClient } from "./job-client.js";
import type { Verb } from "./verb.js";

/**
 * Proposes the text on stdin for a topic. The text is the whole new version or, with --edits, passages to
 * replace in the base text.
 */
export const insertProposal: Verb = {
  name: "insert-proposal",
  usage:
    "--topic-id <topic> --base-version <version> (or --base-sha <sha> [--source-path <root/path>]) [--note <text>] [--edits] [--braces] < text",
  options: {
    braces: { type: "boolean" },
    "topic-id": { type: "string" },
    "base-version": { type: "string" },
    "base-sha": { type: "string" },
    "source-path": { type: "string" },
    note: { type: "string" },
    edits: { type: "boolean" },
  },
  async run({ client, options, readText }) {
    const topic_id = options.getNumber("topic-id");
    const base_sha = options.findText("base-sha");
    const base_version = base_sha === undefined ? options.getNumber("base-version") : undefined;
    const given = await readText(limits.documentBytesMax * 2);
    const readOwnBase = () =>
      readBase(
        client,
        base_sha === undefined
          ? { version: options.getNumber("base-version") }
          : { sha: base_sha, sourcePath: options.findText("source-path") },
      );
    const content = options.isSet("edits") ? applyEdits(await readOwnBase(), given) : given;
    const note = options.findText("note");
    return client.call("insert_proposal", { topic_id, base_version, base_sha, content, note });
  },
};

/**
 * The text that a proposal is based on: a version of the session's document, or the hash of a file. The file
 * defaults to the job's file.
 */
type Base = { readonly version: number } | { readonly sha: string; readonly sourcePath: string | undefined };

/** Reads the full text that a proposal is based on. */
async function readBase(client: JobClient, base: Base): Promise<string> {
  if ("sha" in base) {
    const { sourcePath, sha: source_sha } = base;
    const source_path = sourcePath ?? getSourcePath(await client.getJob());
    return (await client.call("read_source", { source_path, source_sha })).text;
  }
  const session_id = getSessionId(await client.getJob());
  const { content } = await client.call("read_session_doc", { session_id, version: base.version });
  if (content !== undefined) return content;
  throw new CliError("not_found", `The text of version ${base.version} was removed.`, {
    exitCode: exitCodes.not_found,
  });
}

/** Stores the text on stdin as the perspective of the job's persona on the job's source. */
export const putPerspective: Verb = {
  name: "put-perspective",
  usage:
    "--persona <name> --persona-sha <hash> --source-version <version> (or --source-sha <sha> [--source-path <root/path>]) [--braces] < text",
  options: {
    braces: { type: "boolean" },
    persona: { type: "string" },
    "persona-sha": { type: "string" },
    "source-version": { type: "string" },
    "source-sha": { type: "string" },
    "source-path": { type: "string" },
  },
  async run({ client, options, readText }) {
    await getJobOnSource(client, options.findText("source-path"));
    const source_sha = options.findText("source-sha");
    return client.call("put_perspective", {
      source_version: source_sha === undefined ? options.getNumber("source-version") : undefined,
      source_sha,
      persona_sha: options.getText("persona-sha"),
      content: await readText(limits.perspectiveBytesMax),
    });
  },
};

/**
 * Submits the text on stdin as the session's Conclusion. By default the text becomes a proposal. If the
 * session allows its agent to conclude, it becomes the Conclusion itself (AGENT-6).
 */
export const conclude: Verb = {
  name: "conclude",
  usage: "--base-version <version of the document that was read> [--note <text>] [--braces] < text",
  options: { braces: { type: "boolean" }, "base-version": { type: "string" }, note: { type: "string" } },
  async run({ client, options, readText }) {
    const session_id = getSessionId(await client.getJob());
    const base_version = options.getNumber("base-version");
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
