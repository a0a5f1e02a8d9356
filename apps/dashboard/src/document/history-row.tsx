"use client";

import type { DocumentVersion } from "@merkle/wire";
import { useState } from "react";
import { PageLink } from "@/components/page-link";
import { RemovedText } from "@/components/removed-text";
import { TimeText } from "@/components/time-text";
import { setQuery } from "@/core/address/address";
import { Parts, useHasPart } from "@/parts/features-context";
import { useSession } from "@/sessions/session-context";
import { TeamMark } from "@/sessions/team-mark";
import { Button } from "@/ui/button";
import { toCompareParam } from "./use-version-param";
import { VersionChanges } from "./version-changes";

export interface HistoryRowProps {
  readonly version: DocumentVersion;
  readonly colour: number;
  readonly isPicked: boolean;
  readonly onPick: () => void;
  /** Called after the text of this version was removed. */
  readonly onRemoved: () => void;
}

/** A version in the history, with its changes. */
export function HistoryRow({ version, colour, isPicked, onPick, onRemoved }: HistoryRowProps) {
  const { session, isObserver } = useSession();
  const canRemove = useHasPart(({ removal }) => removal) && !isObserver;
  const [isRemoving, setRemoving] = useState(false);
  const number = version.version;
  return (
    <li className="flex flex-wrap items-start gap-x-3 gap-y-1 px-4 py-2">
      <label className="flex min-h-6 min-w-11 items-center gap-2 pt-0.5 font-medium tabular-nums pointer-coarse:min-h-11">
        <input
          type="checkbox"
          checked={isPicked}
          disabled={version.redaction !== undefined}
          onChange={onPick}
          aria-label={`Compare version ${number}`}
          className="size-4 accent-primary"
        />
        v{number}
      </label>
      <div className="min-w-0 flex-1 basis-48">
        <p className="flex flex-wrap items-center gap-x-2 text-sm">
          <span className="inline-flex min-w-0 items-center gap-1.5">
            <TeamMark name={version.written_by} colour={colour} />
            <bdi className="truncate font-medium">{version.written_by}</bdi>
          </span>
          <TimeText at={version.written_at} className="text-muted-foreground tabular-nums" />
        </p>
        {version.redaction ? (
          <div className="text-sm">
            <RemovedText redaction={version.redaction} />
          </div>
        ) : (
          <VersionChanges version={number} />
        )}
      </div>
      <p className="flex flex-wrap gap-1">
        {!version.redaction && (
          <>
            <Button
              variant="outline"
              size="sm"
              onClick={() => setQuery({ compare: toCompareParam({ from: number - 1, to: number }) })}
            >
              Changes<span className="sr-only"> of version {number}</span>
            </Button>
            <Button variant="ghost" size="sm" onClick={() => setQuery({ v: String(number), doc: null })}>
              Read<span className="sr-only"> version {number}</span>
            </Button>
          </>
        )}
        {version.after_sequence > 0 && (
          <Button asChild variant="ghost" size="sm">
            <PageLink href={`/sessions/${session.slug}?m=${version.after_sequence}`}>
              In the feed<span className="sr-only"> at version {number}</span>
            </PageLink>
          </Button>
        )}
        {!version.redaction && number < session.document_version && canRemove && (
          <Button variant="ghost" size="sm" onClick={() => setRemoving(true)}>
            Remove text…<span className="sr-only"> of version {number}</span>
          </Button>
        )}
      </p>
      {isRemoving && (
        <Parts
          select={({ removal }) => removal?.OfVersion}
          given={{ version, onRemoved, onClose: () => setRemoving(false) }}
        />
      )}
    </li>
  );
}
