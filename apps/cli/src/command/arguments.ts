import type { Argument } from "./command.js";

/** Names a file under Git. */
export const fileArgument: Argument = {
  name: "<root/path>",
  summary: "file, from merkle source list",
};
