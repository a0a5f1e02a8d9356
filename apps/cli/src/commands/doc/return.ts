import type { Command } from "../../command/command.js";
import { ofDocuments } from "../../proposals/of-documents.js";
import { returnCommand } from "../proposals/return.js";

export const docReturn: Command = returnCommand(ofDocuments);
