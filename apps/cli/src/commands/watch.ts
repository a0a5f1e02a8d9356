import type { Command } from "../command/command.js";
import { runWatch } from "../views/watch/run-watch.js";

export const watch: Command = {
  name: "watch",
  summary: "show a session live: what needs you, who is there, and the feed below; take part",
  arguments: [
    {
      name: "[session]",
      summary: "its slug, id or title; else MERKLE_SESSION, else the open one with the newest activity",
    },
  ],
  flags: [
    {
      flags: "--since <when>",
      summary: "405: after that message; 10m, 2h: that long ago; unread; else the last 10 messages",
    },
  ],
  examples: ["merkle watch split-auth", "merkle watch", "merkle watch split-auth --since unread"],
  async run(context) {
    return runWatch(context);
  },
};
