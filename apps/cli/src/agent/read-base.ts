import { CliError, exitCodes } from "../core/cli-error.js";
import type { JobClient } from "../work/agent/job-client.js";
import { sessionOf } from "./session-of.js";
import { sourceOf } from "./source-of.js";

/** What a proposal is made from: a version of the session's document, or a text of a file, the job's own unless it is named. */
export type Base =
  | { readonly version: number }
  | { readonly sha: string; readonly sourcePath: string | undefined };

/** The text that a proposal is made from, whole. */
export async function readBase(client: JobClient, base: Base): Promise<string> {
  if ("sha" in base) {
    const { sourcePath, sha: source_sha } = base;
    const source_path = sourcePath ?? sourceOf(await client.job());
    return (await client.call("read_source", { source_path, source_sha })).text;
  }
  const session_id = sessionOf(await client.job());
  const { content } = await client.call("read_session_doc", { session_id, version: base.version });
  if (content !== undefined) return content;
  throw new CliError("not_found", `The text of version ${base.version} was removed.`, {
    exitCode: exitCodes.not_found,
  });
}
