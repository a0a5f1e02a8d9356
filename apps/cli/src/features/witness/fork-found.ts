import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type ForkEvidence, formatFork } from "@merkle/wire/record";
import { CliError, exitCodes } from "../../core/cli-error.js";
import { explainHomeErrors, homeFiles } from "../../core/merkle-home.js";

/**
 * Stores the evidence of a fork in this home, and returns the error that names the file (WITNESS-21). The same
 * evidence is stored once.
 */
export async function createForkError(
  home: string,
  { evidence, message }: { readonly evidence: ForkEvidence; readonly message: string },
): Promise<CliError> {
  const text = formatFork(evidence);
  const name = `${createHash("sha256").update(text).digest("hex").slice(0, 16)}.json`;
  const path = join(homeFiles.forks(home), name);
  await explainHomeErrors(home, async () => {
    await mkdir(homeFiles.forks(home), { recursive: true, mode: 0o700 });
    await writeFile(path, text, { mode: 0o600, flush: true });
  });
  return new CliError(
    "fork",
    `THIS BROKER SIGNED TWO HISTORIES. ${message} The evidence is in ${path}: anyone can verify it offline. Send it to the other members.`,
    { exitCode: exitCodes.fork, next: [`merkle verify ${path}`], details: { evidence: path } },
  );
}
