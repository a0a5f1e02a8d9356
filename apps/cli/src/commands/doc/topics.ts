import type { Command } from "../../command/command.js";
import { topicsOfDocuments } from "../../topics/of-documents.js";
import { topicsCommand } from "../topics/topics.js";

export const docTopics: Command = topicsCommand(topicsOfDocuments);
