import type { Command } from "../../command.js";
import { commentCommand } from "../../topics/comment-command.js";
import { topicsOfFiles } from "../../topics/of-files.js";

export const sourceComment: Command = commentCommand(topicsOfFiles);
