import type { Command } from "../../command.js";
import { topicsOfFiles } from "../../topics/of-files.js";
import { replyCommand } from "../../topics/reply-command.js";

export const sourceReply: Command = replyCommand(topicsOfFiles);
