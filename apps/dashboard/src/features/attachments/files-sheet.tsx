"use client";

import type { OutputOf } from "@merkle/wire";
import { describeBytes } from "@merkle/wire/text";
import { useState } from "react";
import { useRead } from "@/broker/use-read";
import { PageLink } from "@/components/page-link";
import { RefusalNote } from "@/components/refusal-note";
import { TimeText } from "@/components/time-text";
import { lazyPart } from "@/core/lazy-part";
import { useSettled } from "@/core/use-settled";
import { isImage } from "@/feed/store/message-files";
import { useSession } from "@/sessions/session-context";
import { showHidden } from "@/text/markdown/hidden-characters";
import { Button } from "@/ui/button";
import { Input } from "@/ui/input";
import { Sheet, SheetContent, SheetDescription, SheetHeader, SheetTitle } from "@/ui/sheet";
import { DownloadButton, FileName, isText } from "./file-line";
import type { FilePlace } from "./file-requests";

const FileViewer = lazyPart(() => import("./file-viewer"), "FileViewer");

type SessionFile = OutputOf<"list_files">["files"][number];

const pageRows = 100;
const rowsMax = 500;

/** The files of a session, to find by name. */
export function FilesSheet({ onClose }: { readonly onClose: () => void }) {
  const { session } = useSession();
  const [name, setName] = useState("");
  const [limit, setLimit] = useState(pageRows);
  const [shown, setShown] = useState<FilePlace | null>(null);
  const settledName = useSettled(name.trim());
  const { data, problem } = useRead(
    "list_files",
    { session_id: session.session_id, limit, ...(settledName === "" ? {} : { name: settledName }) },
    { keepLast: true },
  );
  const files = data?.files ?? [];
  const toPlace = (file: SessionFile): FilePlace => ({
    sessionId: session.session_id,
    sequence: file.message,
    file,
  });
  const shownPlaces = files.filter((file) => isImage(file) || isText(file)).map(toPlace);

  return (
    <Sheet open onOpenChange={(open) => !open && onClose()}>
      <SheetContent className="open:grid-rows-[auto_auto_minmax(0,1fr)]">
        <SheetHeader>
          <SheetTitle>Files</SheetTitle>
          <SheetDescription>What messages of this session carry, newest first.</SheetDescription>
        </SheetHeader>
        <Input
          type="search"
          aria-label="Find files by name"
          placeholder="Find by name"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <div className="min-h-0 overflow-y-auto">
          <RefusalNote refusal={problem ?? null} />
          {data !== undefined && files.length === 0 && (
            <p className="text-muted-foreground">
              {settledName === "" ? "No message carries a file yet." : "No file has this in its name."}
            </p>
          )}
          <ul aria-label="Files of the session" className="divide-y">
            {files.map((file) => (
              <li key={`${file.message} ${file.digest}`} className="flex min-w-0 items-center gap-2 py-1">
                <div className="min-w-0 flex-1">
                  <FileName file={file} onShow={() => setShown(toPlace(file))} />
                  <p className="truncate text-sm text-muted-foreground">
                    {describeBytes(file.size)} · <bdi>{showHidden(file.by)}</bdi> · <TimeText at={file.at} />
                  </p>
                </div>
                <PageLink
                  href={`/sessions/${session.slug}?m=${file.message}`}
                  aria-label={`Message #${file.message}`}
                  className="inline-flex min-h-6 items-center text-sm text-link hover:underline pointer-coarse:min-h-11 pointer-coarse:min-w-11 pointer-coarse:justify-center"
                >
                  #{file.message}
                </PageLink>
                <DownloadButton place={toPlace(file)} />
              </li>
            ))}
          </ul>
          {data?.next_cursor != null && limit < rowsMax && (
            <Button variant="outline" className="mt-2" onClick={() => setLimit(rowsMax)}>
              Show more
            </Button>
          )}
        </div>
        {shown && <FileViewer places={shownPlaces} first={shown} onClose={() => setShown(null)} />}
      </SheetContent>
    </Sheet>
  );
}
