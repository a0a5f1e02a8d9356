import type { SourceColumns } from "@merkle/db";
import { MerkleError, parseSourcePath, type SourcePathParts } from "@merkle/wire";

/** The parts of what was checked when it came in. */
export function requireSourcePath(source_path: string): SourcePathParts {
  const parts = parseSourcePath(source_path);
  if (parts) return parts;
  throw new MerkleError("bad_request", `${JSON.stringify(source_path)} is not <root>/<path> of a file.`);
}

/** A file as the source of topics, proposals and jobs. It is of no session. */
export function toFile({ root, path }: SourcePathParts): SourceColumns & { readonly root: string } {
  return { sessionId: null, root, path };
}
