import type { SourceColumns } from "@merkle/db";
import { MerkleError, parseSourcePath, type SourcePathParts } from "@merkle/wire";
import type { Principal } from "../../identity/principal.js";

/** Splits a source path that was already validated. */
export function requireSourcePath(source_path: string): SourcePathParts {
  const parts = parseSourcePath(source_path);
  if (parts) return parts;
  throw new MerkleError(
    "bad_request",
    `Expected the <root>/<path> of a file, got ${JSON.stringify(source_path)}.`,
  );
}

/**
 * Returns the source columns for a file, as topics, proposals and jobs store them. A file belongs to no
 * session.
 */
export function toFile({ root, path }: SourcePathParts): SourceColumns & { readonly root: string } {
  return { sessionId: null, root, path };
}

/**
 * Refuses access by a job's agent to any file other than the file of its job (JOB-12).
 *
 * @throws forbidden
 */
export function requireOwnSource(principal: Principal | null, source_path: string): void {
  if (principal?.kind !== "job" || principal.sourcePath === source_path) return;
  throw new MerkleError(
    "forbidden",
    `The agent of job ${principal.job} can read only the job's own source.`,
    {
      job_id: principal.job,
    },
  );
}
