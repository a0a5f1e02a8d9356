import type { Command } from "../../command.js";
import { topicsOfFiles } from "../../topics/of-files.js";
import { topicsCommand } from "../../topics/topics-command.js";

export const sourceTopics: Command = topicsCommand(topicsOfFiles);
