import type { Argument } from "./command.js";

/** The argument that names a file under a configured root. */
export const fileArgument: Argument = {
  name: "<root/path>",
  summary: "file, from merkle source list",
};
