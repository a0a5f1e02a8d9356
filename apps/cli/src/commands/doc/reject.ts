import type { Command } from "../../command.js";
import { ofDocuments } from "../../proposals/of-documents.js";
import { rejectCommand } from "../../proposals/reject-command.js";

export const docReject: Command = rejectCommand(ofDocuments);
