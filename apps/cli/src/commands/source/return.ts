import type { Command } from "../../command.js";
import { ofFiles } from "../../proposals/of-files.js";
import { returnCommand } from "../../proposals/return-command.js";

export const sourceReturn: Command = returnCommand(ofFiles);
