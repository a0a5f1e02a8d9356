import type { Command } from "../../command/command.js";

export const stateWatch: Command = {
  name: "state watch",
  summary: "print the changes of shared facts as they happen",
  arguments: [
    { name: "[session]", summary: "slug, id or exact title; MERKLE_SESSION unless told" },
    { name: "[key]", summary: "only this key, or with * at its end all that begin so; all unless told" },
  ],
  flags: [{ flags: "--shared", summary: "those that all sessions share" }],
  examples: [
    "merkle state watch split-auth",
    "merkle state watch split-auth 'deploy_*'",
    "merkle state watch split-auth --json > changes.ndjson",
  ],
  async run(context) {
    const { watchState } = await import("../../state/watch-state.js");
    return watchState(context);
  },
};
