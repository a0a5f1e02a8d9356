import type { Command } from "../../command/command.js";
import { ofFiles } from "../../proposals/of-files.js";
import { rebaseCommand } from "../proposals/rebase.js";

export const sourceRebase: Command = rebaseCommand(
  ofFiles,
  "bring a stale proposal onto the newest text of its file, to be looked at again",
);
