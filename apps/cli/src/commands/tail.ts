import type { Command } from "../command/command.js";
import { checkConcluded } from "../feature-hooks.js";
import { runTail } from "../feed/tail/run-tail.js";

export const tail: Command = {
  name: "tail",
  summary: "print a session's last messages, then new ones as they arrive",
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
        'where to start: a message number (0 for all), an age (10m, 2h) or "unread" (default: the last 10 messages)',
    },
    { flags: "--types <types>", summary: "only these types: chat, system, ask (with answers), decision" },
    { flags: "--from <team>", summary: "only messages and actions of this team" },
    { flags: "--until-closed", summary: "exit when the session is concluded" },
    {
      flags: "--timeout <seconds>",
      summary: "time to wait for new messages before exiting; 0 prints existing messages and exits",
    },
  ],
  examples: [
    "merkle tail split-auth",
    "merkle tail split-auth --since unread --timeout 0",
    "merkle tail split-auth --since 0 --until-closed --json > feed.ndjson",
  ],
  async run(context) {
    return runTail(context, checkConcluded);
  },
};
