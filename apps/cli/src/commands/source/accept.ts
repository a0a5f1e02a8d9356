import type { Command } from "../../command/command.js";
import { ofFiles } from "../../proposals/of-files.js";
import { acceptCommand } from "../proposals/accept.js";

export const sourceAccept: Command = acceptCommand(
  ofFiles,
  "commit a proposal, whole, in part or edited, as the agent; shows what it changes first",
);
