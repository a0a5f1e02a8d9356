import type { Command } from "../../command/command.js";
import { topicsOfDocuments } from "../../topics/of-documents.js";
import { replyCommand } from "../topics/reply.js";

export const docReply: Command = replyCommand(topicsOfDocuments);
