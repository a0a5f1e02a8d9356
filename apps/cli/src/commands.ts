import type { Command, CommandGroup } from "./command.js";
import { backup } from "./commands/backup.js";
import { conclude } from "./commands/conclude.js";
import { configGet } from "./commands/config/get.js";
import { configList } from "./commands/config/list.js";
import { configPath } from "./commands/config/path.js";
import { configSet } from "./commands/config/set.js";
import { demo } from "./commands/demo.js";
import { docAppend } from "./commands/doc/append.js";
import { docDiff } from "./commands/doc/diff.js";
import { docEdit } from "./commands/doc/edit.js";
import { docHistory } from "./commands/doc/history.js";
import { docShow } from "./commands/doc/show.js";
import { doctor } from "./commands/doctor.js";
import { down } from "./commands/down.js";
import { launch } from "./commands/launch.js";
import { ls } from "./commands/ls.js";
import { mcp } from "./commands/mcp.js";
import { newSession } from "./commands/new.js";
import { open } from "./commands/open.js";
import { post } from "./commands/post.js";
import { rename } from "./commands/rename.js";
import { restore } from "./commands/restore.js";
import { show } from "./commands/show.js";
import { status } from "./commands/status.js";
import { tail } from "./commands/tail.js";
import { up } from "./commands/up.js";
import { version } from "./commands/version.js";

/** All commands, in the groups and the order in which help lists them. */
export const commandGroups: readonly CommandGroup[] = [
  { title: "Start here", commands: [demo] },
  { title: "Broker", commands: [up, down, status, backup, restore] },
  {
    title: "Sessions",
    commands: [ls, show, open, newSession, post, tail, rename, conclude],
  },
  { title: "Document", commands: [docShow, docAppend, docEdit, docHistory, docDiff] },
  { title: "Agents", commands: [launch, mcp] },
  { title: "This machine", commands: [configGet, configSet, configList, configPath, doctor, version] },
];

export const commands: readonly Command[] = commandGroups.flatMap((group) => group.commands);
