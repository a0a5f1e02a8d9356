import { findDocumentVersion, type ProposalRow, readDocument } from "@merkle/db";
import type { SourcePathParts } from "@merkle/wire";
import type { JobServices } from "../jobs/feature.js";
import { readFileText } from "../sources/feature.js";

/** Identifies the text that a proposal replaces: a file, a document, or only the document's Conclusion. */
export type ProposalSource = Pick<ProposalRow, "kind" | "sessionId" | "root" | "path">;

export interface CurrentText {
  readonly text: string;
  readonly version: number | null;
  readonly sha: string | null;
}

/** Reads the current text of a source. */
export async function readCurrentText(
  { database, sources }: Pick<JobServices, "database" | "sources">,
  source: ProposalSource,
): Promise<CurrentText> {
  const file = toFileParts(source);
  if (file) {
    const { text, hash } = await sources.open(file);
    return { text, version: null, sha: hash };
  }
  const document = await readDocument(database.orm, requireSessionId(source));
  if (!document) throw new TypeError("The document of the proposal was not found.");
  const text = source.kind === "conclusion" ? (document.conclusion ?? "") : document.content;
  return { text, version: document.version, sha: null };
}

/**
 * Reads the text that a proposal is based on. Returns null if the text does not exist or was redacted. For
 * a Conclusion, only the newest text is stored, so every proposal is compared with the newest.
 */
export async function readBaseText(
  services: Pick<JobServices, "database" | "sources">,
  source: ProposalSource,
  base: Pick<ProposalRow, "baseVersion" | "baseHash">,
): Promise<string | null> {
  if (source.kind === "conclusion") return (await readCurrentText(services, source)).text;
  const file = toFileParts(source);
  if (file) return base.baseHash === null ? null : readFileText(services, file, base.baseHash);
  if (base.baseVersion === null) throw new TypeError("The proposal for a document must have a base version.");
  if (base.baseVersion === 0) return "";
  const { orm } = services.database;
  return (await findDocumentVersion(orm, requireSessionId(source), base.baseVersion))?.content ?? null;
}

/** Returns the file that a proposal is for. Returns null for a document. */
export function toFileParts({ root, path }: Pick<ProposalSource, "root" | "path">): SourcePathParts | null {
  return root === null || path === null ? null : { root, path };
}

function requireSessionId({ sessionId, path }: ProposalSource): string {
  if (sessionId === null || path !== null) throw new TypeError("The proposal must be for a document.");
  return sessionId;
}
