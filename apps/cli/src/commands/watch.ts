import type { Command } from "../command/command.js";
import { checkConcluded } from "../feature-hooks.js";
import { runWatch } from "../views/watch/run-watch.js";

export const watch: Command = {
  name: "watch",
  summary: "watch a session live and take part: what needs you, participants and messages",
  arguments: [
    {
      name: "[session]",
      summary:
        "session slug, id or title (default: MERKLE_SESSION, otherwise the most recently active open session)",
    },
  ],
  flags: [
    {
      flags: "--since <when>",
      summary:
        'where to start: a message number, an age (10m, 2h) or "unread" (default: the last 10 messages)',
    },
  ],
  examples: ["merkle watch split-auth", "merkle watch", "merkle watch split-auth --since unread"],
  async run(context) {
    return runWatch(context, checkConcluded);
  },
};
