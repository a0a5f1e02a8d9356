import { usageError } from "../core/cli-error.js";
import { findProject } from "./find-project.js";

/** The project that a command is about: the one named, or that of the folder. @throws CliError `usage` where neither is */
export async function chooseProject(named: string | undefined, usage: string): Promise<string> {
  const project = named?.trim() || (await findProject(process.cwd()));
  if (project) return project;
  throw usageError("This folder is in no git repository: say which project, with --project.", usage);
}
