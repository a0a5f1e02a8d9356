import type { Command } from "../../command.js";
import { topicsOfDocuments } from "../../topics/of-documents.js";
import { topicsCommand } from "../../topics/topics-command.js";

export const docTopics: Command = topicsCommand(topicsOfDocuments);
