import type { Command } from "../../command/command.js";
import { topicsOfFiles } from "../../topics/of-files.js";
import { commentCommand } from "../topics/comment.js";

export const sourceComment: Command = commentCommand(topicsOfFiles);
