import type { Command } from "../../command/command.js";
import { topicsOfFiles } from "../../topics/of-files.js";
import { replyCommand } from "../topics/reply.js";

export const sourceReply: Command = replyCommand(topicsOfFiles);
