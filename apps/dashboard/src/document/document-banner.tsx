"use client";

import { TimeText } from "@/components/time-text";
import { setQuery } from "@/core/address/address";
import { useSession } from "@/sessions/session-context";
import { Button } from "@/ui/button";
import { RestoreVersion } from "./lazy-faces";
import type { DocumentRead } from "./use-document";
import { toCompareParam } from "./use-version-param";

export interface DocumentBannerProps {
  readonly doc: DocumentRead;
  /** The version number in the URL, if any. */
  readonly version: number | null;
  /** The past moment being shown. Null for the present. */
  readonly at: string | null;
}

/** A note that an older version is shown, with a link to the newest version. */
export function DocumentBanner({ doc, version, at }: DocumentBannerProps) {
  const { session, isObserver } = useSession();
  if (version === null && at === null) return null;
  const newer = doc.current_version - doc.version;
  return (
    <div
      role="note"
      className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b bg-highlight px-4 py-1.5 text-sm"
    >
      <p className="min-w-0 flex-1 basis-56">
        {version === null && at !== null ? (
          <>
            As of <TimeText at={at} as="clock" className="font-medium tabular-nums" />: v{doc.version}
          </>
        ) : (
          <>
            Version {doc.version}, written{" "}
            <TimeText at={doc.updated_at} as="clock" className="tabular-nums" />
          </>
        )}
        {newer === 0 ? ", the newest." : `; ${newer} newer.`}
      </p>
      <div className="flex flex-wrap gap-1">
        {newer > 0 && (
          <>
            {doc.redacted_version === undefined && (
              <Button
                variant="outline"
                size="sm"
                onClick={() =>
                  setQuery({
                    compare: toCompareParam({ from: doc.version, to: doc.current_version }),
                    v: null,
                  })
                }
              >
                Show changes since
              </Button>
            )}
            {session.status === "active" && !isObserver && doc.content !== undefined && (
              <RestoreVersion version={doc.version} content={doc.content} newest={doc.current_version} />
            )}
          </>
        )}
        <Button
          variant="outline"
          size="sm"
          onClick={() => setQuery(version === null ? { at: null } : { v: null })}
        >
          Newest version
        </Button>
      </div>
    </div>
  );
}
