import type { Operation } from "@merkle/wire";
import { findProject } from "../progress/find-project.js";
import type { Fields } from "./membership.js";

/** Puts in the project that this server works in, where an operation is about one and none is named (PROGRESS-10). */
export async function fillProject({ input }: Operation, fields: Fields): Promise<Fields> {
  if (!("projectId" in input.shape) || fields["projectId"] !== undefined) return fields;
  const projectId = await findProject(process.env["CLAUDE_PROJECT_DIR"] || process.cwd());
  return projectId === null ? fields : { ...fields, projectId };
}
