import type { OutputOf } from "@merkle/wire";
import { type Read, useRead } from "@/broker/use-read";
import { useSession } from "@/sessions/session-context";
import { useSource } from "@/sessions/source-context";

export type DocumentRead = OutputOf<"read_session_doc">;
export type DocumentVersion = OutputOf<"list_doc_versions">["versions"][number];

/** The shown state of the document: the newest, one by its number, or the one at a moment. */
export interface Wanted {
  readonly version: number | null;
  readonly at: string | null;
}

/** The document's text. The newest version is kept up to date. */
export function useDocument({ version, at }: Wanted): Read<DocumentRead> {
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
    // An older version stays as it is, but how many are newer does not.
    { on: ["document"], keepLast: isNewest },
  );
}

/** The author and time of a version; undefined until they are known, and for version 0, which has no author. */
export function useVersion(version: number | undefined): DocumentVersion | undefined {
  const { source } = useSource();
  const { data } = useRead(
    "list_doc_versions",
    version === undefined || version === 0 || source.kind !== "document"
      ? null
      : { session_id: source.session_id, before_version: version + 1, limit: 1 },
  );
  const found = data?.versions[0];
  return found?.version === version ? found : undefined;
}
