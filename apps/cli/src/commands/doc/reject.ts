import type { Command } from "../../command/command.js";
import { ofDocuments } from "../../proposals/of-documents.js";
import { rejectCommand } from "../proposals/reject.js";

export const docReject: Command = rejectCommand(ofDocuments);
