import type { DocumentVersion } from "@merkle/wire";
import { useEffect, useState } from "react";
import { type Problem, toProblem } from "@/broker/problem";
import { useBroker } from "@/broker/use-broker";
import { useRead } from "@/broker/use-read";
import { useSession } from "@/sessions/session-context";

const pageSize = 30;

export interface Versions {
  /** The versions, with the newest first. */
  readonly versions: readonly DocumentVersion[];
  readonly hasMore: boolean;
  readonly isLoading: boolean;
  readonly problem: Problem | undefined;
  readonly showMore: () => void;
  readonly refresh: () => void;
  /** Reads the row of one version again after its text was removed. */
  readonly readAgain: (version: number) => void;
}

/**
 * Returns the document's versions, or those of one team, page by page. New versions appear as they are written. Known versions
 * never change, except by a removal.
 */
export function useVersions(team?: string): Versions {
  const { session } = useSession();
  const { session_id } = session;
  const broker = useBroker();
  const input = { session_id, limit: pageSize, ...(team !== undefined && { team }) };
  const newest = useRead("list_doc_versions", input, { on: ["document"] });
  const [versionsByNumber, setVersionsByNumber] = useState<ReadonlyMap<number, DocumentVersion>>(new Map());
  const [paging, setPaging] = useState<{
    isLoading: boolean;
    problem: Problem | undefined;
    /** Whether older versions follow the last older page. Undefined before the first. */
    hasMore?: boolean;
  }>({ isLoading: false, problem: undefined });

  const versionsRead = newest.data?.versions;

  useEffect(() => {
    if (versionsRead) setVersionsByNumber((before) => addVersions(before, versionsRead));
  }, [versionsRead]);

  const versions = [...versionsByNumber.values()].sort((a, b) => b.version - a.version);
  const oldest = versions.at(-1)?.version ?? 0;

  async function showMore(): Promise<void> {
    setPaging((before) => ({ ...before, isLoading: true, problem: undefined }));
    try {
      const page = await broker.call("list_doc_versions", { ...input, before_version: oldest });
      setVersionsByNumber((before) => addVersions(before, page.versions));
      setPaging({ isLoading: false, problem: undefined, hasMore: page.has_more });
    } catch (error) {
      setPaging((before) => ({ ...before, isLoading: false, problem: toProblem(error) }));
    }
  }

  return {
    versions,
    hasMore: oldest > 1 && (paging.hasMore ?? newest.data?.has_more ?? false),
    isLoading: newest.status === "loading" || paging.isLoading,
    problem: newest.problem ?? paging.problem,
    showMore: () => void showMore(),
    refresh: newest.refresh,
    readAgain: (version) => {
      // If the request fails, refresh the first page instead.
      broker
        .call("list_doc_versions", { session_id, before_version: version + 1, limit: 1 })
        .then((page) => setVersionsByNumber((before) => addVersions(before, page.versions)))
        .catch(() => newest.refresh());
    },
  };
}

function addVersions(
  versionsByNumber: ReadonlyMap<number, DocumentVersion>,
  versions: readonly DocumentVersion[],
): ReadonlyMap<number, DocumentVersion> {
  return new Map([...versionsByNumber, ...versions.map((version) => [version.version, version] as const)]);
}
