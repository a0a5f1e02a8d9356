import { limits } from "@merkle/wire/plain";
import { readBase } from "../../agent/read-base.js";
import { applyEdits } from "./apply-edits.js";
import type { Verb } from "./verb.js";

/** Proposes the text on stdin for a topic: the whole of it, or with --edits passages to be put into the base. */
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
    const topic_id = options.number("topic-id");
    const base_sha = options.findText("base-sha");
    const base_version = base_sha === undefined ? options.number("base-version") : undefined;
    const given = await readText(limits.documentBytesMax * 2);
    const readOwnBase = () =>
      readBase(
        client,
        base_sha === undefined
          ? { version: options.number("base-version") }
          : { sha: base_sha, sourcePath: options.findText("source-path") },
      );
    const content = options.isSet("edits") ? applyEdits(await readOwnBase(), given) : given;
    const note = options.findText("note");
    return client.call("insert_proposal", { topic_id, base_version, base_sha, content, note });
  },
};
