import type { Argument } from "./command.js";

/** The argument that names a file in a source. */
export const fileArgument: Argument = {
  name: "<root/path>",
  summary: "file, from merkle source list",
};
