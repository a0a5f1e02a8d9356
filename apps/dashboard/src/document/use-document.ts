import type { DocumentVersion, OutputOf } from "@merkle/wire";
import { type ReadResult, useRead } from "@/broker/use-read";
import { useSession } from "@/sessions/session-context";
import { useSource } from "@/sessions/source-context";

export type DocumentRead = OutputOf<"read_session_doc">;

/** Selects the document's version: the newest, a version by number, or the version at a past moment. */
export interface DocumentRequest {
  readonly version: number | null;
  readonly at: string | null;
}

/** Reads the document. The newest version is kept up to date. */
export function useDocument({ version, at }: DocumentRequest): ReadResult<DocumentRead> {
  const { session } = useSession();
  const { session_id } = session;
  const isNewest = version === null && at === null;
  return useRead(
    "read_session_doc",
    {
      session_id,
      ...(version === null ? {} : { version }),
      ...(version !== null || at === null ? {} : { at }),
    },
    // An older version never changes, but the number of newer versions does.
    { on: ["document"], keepLast: isNewest },
  );
}

/** Returns the author and time of a version. Undefined while loading, and for version 0, which has no author. */
export function useVersion(version: number | undefined): DocumentVersion | undefined {
  const { source } = useSource();
  const { data } = useRead(
    "list_doc_versions",
    version === undefined || version === 0 || source.kind !== "document"
      ? null
      : { session_id: source.session_id, before_version: version + 1, limit: 1 },
  );
  const candidate = data?.versions[0];
  return candidate?.version === version ? candidate : undefined;
}
