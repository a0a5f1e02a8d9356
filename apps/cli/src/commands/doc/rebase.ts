import type { Command } from "../../command/command.js";
import { ofDocuments } from "../../proposals/of-documents.js";
import { rebaseCommand } from "../proposals/rebase.js";

export const docRebase: Command = rebaseCommand(
  ofDocuments,
  "bring a stale proposal onto the newest document, to be looked at again",
);
