import type { Command } from "./command.js";
import { backup } from "./commands/backup.js";
import { configGet } from "./commands/config/get.js";
import { configList } from "./commands/config/list.js";
import { configPath } from "./commands/config/path.js";
import { configSet } from "./commands/config/set.js";
import { doctor } from "./commands/doctor.js";
import { down } from "./commands/down.js";
import { restore } from "./commands/restore.js";
import { status } from "./commands/status.js";
import { up } from "./commands/up.js";
import { version } from "./commands/version.js";

/** All commands, in the order in which help lists them. */
export const commands: readonly Command[] = [
  up,
  down,
  status,
  backup,
  restore,
  configGet,
  configSet,
  configList,
  configPath,
  doctor,
  version,
];
