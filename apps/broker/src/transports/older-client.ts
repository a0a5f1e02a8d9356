import type { IncomingHttpHeaders } from "node:http";
import { buildHeader, buildNumber, type Operation, parseBuild } from "@merkle/wire";

/**
 * The build that a client's headers name. Clients that are no commands of ours count as new. Null for a client that names
 * neither a build nor a program: commands from before builds had numbers do so, and few others.
 */
export function readBuild(headers: IncomingHttpHeaders): number | null {
  const build = headers[buildHeader];
  if (build !== undefined) return parseBuild(build);
  return headers["user-agent"] === undefined ? null : buildNumber;
}

/** The output as a client of that build expects it (BUILD-6). */
export function toOutputFor(build: number, { older }: Operation, output: unknown): unknown {
  return older && build < older.below ? older.toOutput(output) : output;
}
