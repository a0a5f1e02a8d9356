import { limits } from "@merkle/wire/plain";
import type { Verb } from "../../work/agent/verb.js";

/** Stores the text on stdin as what the job's persona made of the source that was read. */
export const putPerspective: Verb = {
  name: "put-perspective",
  usage:
    "--persona <name> --persona-sha <hash> --source-version <version> (or --source-sha <sha>) [--braces] < text",
  options: {
    braces: { type: "boolean" },
    persona: { type: "string" },
    "persona-sha": { type: "string" },
    "source-version": { type: "string" },
    "source-sha": { type: "string" },
  },
  async run({ client, options, readText }) {
    const source_sha = options.findText("source-sha");
    return client.call("put_perspective", {
      source_version: source_sha === undefined ? options.number("source-version") : undefined,
      source_sha,
      persona_sha: options.text("persona-sha"),
      content: await readText(limits.perspectiveBytesMax),
    });
  },
};
