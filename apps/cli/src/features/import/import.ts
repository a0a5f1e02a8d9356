import { createReadStream } from "node:fs";
import { type ImportResult, MerkleError } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { describeBytes } from "@merkle/wire/text";
import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { createProgressLine } from "../../command/progress.js";
import { CliError, exitCodes } from "../../core/cli-error.js";
import { toOneLine } from "../../text/one-line.js";
import { formatCount } from "../../text/time.js";
import { loadVerifyFile } from "../verify/feature.js";

export const importCommand: Command = {
  name: "import",
  summary: "import a bundle into this mesh, read-only; importing it twice changes nothing",
  arguments: [{ name: "<file>", summary: "bundle or page written by merkle export" }],
  examples: [
    "merkle import split.zip",
    "merkle import split.zip --mesh archive",
    "merkle import split.html",
    "merkle import split.zip --url https://mesh.example.com",
  ],
  async run({ args: [path = ""], flags, config, io, output, signal }) {
    const broker = await findBroker(config, signal);
    const bytes = await checkFile(path);
    // An import is refused for the same callers as this call, so no byte is sent in vain.
    await broker.call("list_meshes", {});
    const progress = createProgressLine({ flags, io });
    const open = () => {
      let sent = 0;
      return createReadStream(path).on("data", (chunk) => {
        sent += chunk.length;
        if (sent < bytes) progress.show({ name: "sending", done: sent, total: bytes, format: describeBytes });
        else progress.say("verifying on the broker");
      });
    };
    try {
      const answer = await broker.upload("/api/import", {
        contentType: "application/zip",
        bytes,
        open,
      });
      progress.end();
      const imported = answer as ImportResult; // The type of the reply as its operation declares it (CAT-1).
      const { added, slug, size } = imported;
      const title = JSON.stringify(toOneLine(imported.title));
      output.show(
        imported,
        added === 0
          ? `${output.mark.ok} ${title} was already imported as ${slug}, ${formatCount(size, "message")}`
          : `${output.mark.ok} imported ${title} as ${slug}, ${formatCount(added, "message")}${added < size ? " more" : ""}`,
      );
      if (imported.page === "foreign") {
        output.note(
          `${output.mark.warn} The page around the record is not from Merkle, so the text that it showed was not signed. Read the imported session instead.`,
        );
      }
      output.note(`  read it: merkle show ${slug}   ${output.dot}   merkle tail ${slug} --since 0`);
      return imported.page === "foreign" ? exitCodes.foreign_page : exitCodes.done;
    } catch (error) {
      if (!(error instanceof MerkleError) || !("findings" in error.details)) throw error;
      throw new CliError("verification_failed", error.message, {
        exitCode: exitCodes.verification_failed,
        details: error.details,
        next: [`merkle verify ${path}`, "ask the sender for the original export"],
        cause: error,
      });
    } finally {
      progress.end();
    }
  },
};

/**
 * Checks that the file can be a bundle that a broker accepts. Returns its size.
 *
 * @throws CliError `not_found`, `unreadable`, `verification_failed` or `payload_too_large`
 */
async function checkFile(path: string): Promise<number> {
  const { openFile, readBundleFacts } = await loadVerifyFile();
  const file = await openFile(path);
  await file.close();
  if (file.size > limits.bundleBytesMax)
    throw new CliError(
      "payload_too_large",
      `${path} has ${describeBytes(file.size)}, and a broker takes at most ${describeBytes(limits.bundleBytesMax)}. Nothing was sent.`,
      { exitCode: exitCodes.usage },
    );
  await readBundleFacts(path);
  return file.size;
}
