import type { Command } from "../command/command.js";
import { runTail } from "../feed/tail/run-tail.js";

export const tail: Command = {
  name: "tail",
  summary: "print a session's feed as it grows",
  arguments: [
    {
      name: "[session]",
      summary: "its slug, id or title; else MERKLE_SESSION, else the open one with the newest activity",
    },
  ],
  flags: [
    {
      flags: "--since <when>",
      summary:
        "405: after that message (0: all of them); 10m, 2h: that long ago; unread; else the last 10 messages",
    },
    { flags: "--types <types>", summary: "only these: chat, system, ask (with the answers), decision" },
    { flags: "--from <team>", summary: "only what this team said and did" },
    { flags: "--until-closed", summary: "end when the session is concluded" },
    {
      flags: "--timeout <seconds>",
      summary: "end after this long, when what was there at the start is printed; 0 waits for nothing",
    },
  ],
  examples: [
    "merkle tail split-auth",
    "merkle tail split-auth --since unread --timeout 0",
    "merkle tail split-auth --since 0 --until-closed --json > feed.ndjson",
  ],
  async run(context) {
    return runTail(context);
  },
};
