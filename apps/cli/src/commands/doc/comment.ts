import type { Command } from "../../command.js";
import { commentCommand } from "../../topics/comment-command.js";
import { topicsOfDocuments } from "../../topics/of-documents.js";

export const docComment: Command = commentCommand(topicsOfDocuments);
