import type { Command } from "../../command/command.js";
import { topicsOfDocuments } from "../../topics/of-documents.js";
import { commentCommand } from "../topics/comment.js";

export const docComment: Command = commentCommand(topicsOfDocuments);
