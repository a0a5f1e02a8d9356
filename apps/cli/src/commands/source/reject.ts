import type { Command } from "../../command.js";
import { ofFiles } from "../../proposals/of-files.js";
import { rejectCommand } from "../../proposals/reject-command.js";

export const sourceReject: Command = rejectCommand(ofFiles);
