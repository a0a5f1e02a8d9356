import type { Argument } from "../command/command.js";

/** Names a file under Git. */
export const fileArgument: Argument = {
  name: "<root/path>",
  summary: "the file, as merkle source list shows it",
};
