import type { Command } from "../../command/command.js";
import { topicsOfFiles } from "../../topics/of-files.js";
import { topicsCommand } from "../topics/topics.js";

export const sourceTopics: Command = topicsCommand(topicsOfFiles);
