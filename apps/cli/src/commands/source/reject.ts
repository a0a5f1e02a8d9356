import type { Command } from "../../command/command.js";
import { ofFiles } from "../../proposals/of-files.js";
import { rejectCommand } from "../proposals/reject.js";

export const sourceReject: Command = rejectCommand(ofFiles);
