import type { IncomingHttpHeaders } from "node:http";
import { buildHeader, buildNumber, type Operation, parseBuild } from "@merkle/wire";

/**
 * Returns the build named in a client's headers. Programs other than Merkle commands count as current. Null
 * for a client that sends neither a build nor a User-Agent, usually a Merkle command from before builds were
 * numbered.
 */
export function readBuild(headers: IncomingHttpHeaders): number | null {
  const build = headers[buildHeader];
  if (build !== undefined) return parseBuild(build);
  return headers["user-agent"] === undefined ? null : buildNumber;
}

/** Converts an output to the form that a client with this build expects (BUILD-6). */
export function toOutputFor(build: number, { older }: Operation, output: unknown): unknown {
  return older && build < older.below ? older.toOutput(output) : output;
}
