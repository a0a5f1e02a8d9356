import type { Command } from "../../command.js";
import { ofDocuments } from "../../proposals/of-documents.js";
import { returnCommand } from "../../proposals/return-command.js";

export const docReturn: Command = returnCommand(ofDocuments);
