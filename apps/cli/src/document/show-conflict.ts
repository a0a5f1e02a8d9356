import type { MerkleError } from "@merkle/wire";
import { neutralise } from "@merkle/wire/plain";
import { CliError, exitCodes } from "../core/cli-error.js";
import type { Editing } from "./edits.js";

/**
 * Shows what others wrote meanwhile, and returns the error that says where the own text is and how to go on: nothing is
 * lost, and nothing of theirs is overwritten.
 */
export async function showConflict(
  error: MerkleError,
  { output, session }: Editing,
  { expected, keptIn }: { expected: number; keptIn: string },
): Promise<CliError> {
  const { diff, current_version: current } = error.details;
  if (typeof diff === "string") output.note(neutralise(diff));
  const { slug } = session;
  const again = `merkle doc edit ${slug} --file ${quoted(keptIn)} --expect ${current}`;
  return new CliError(
    "conflict",
    `The document of ${slug} is at v${current}, your text was made from v${expected}. Nothing was written; your text is kept in ${keptIn}.`,
    {
      exitCode: exitCodes.conflict,
      next: [`merkle doc diff ${slug} ${expected}..${current}`, `put both together, then ${again}`],
      details: { ...error.details, kept_in: keptIn },
      cause: error,
    },
  );
}

function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
