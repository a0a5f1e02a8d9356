import type { Command } from "../../command.js";
import { topicsOfDocuments } from "../../topics/of-documents.js";
import { replyCommand } from "../../topics/reply-command.js";

export const docReply: Command = replyCommand(topicsOfDocuments);
