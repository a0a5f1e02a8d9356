import type { Command } from "../../command/command.js";
import { ofFiles } from "../../proposals/of-files.js";
import { returnCommand } from "../proposals/return.js";

export const sourceReturn: Command = returnCommand(ofFiles);
