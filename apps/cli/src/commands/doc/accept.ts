import type { Command } from "../../command/command.js";
import { ofDocuments } from "../../proposals/of-documents.js";
import { acceptCommand } from "../proposals/accept.js";

export const docAccept: Command = acceptCommand(
  ofDocuments,
  "make a proposal the next version, whole, in part or edited; shows what it changes first",
);
