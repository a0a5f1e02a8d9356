"use client";

import type { Message, MessageFile } from "@merkle/wire";
import { describeBytes } from "@merkle/wire/text";
import { FileText, Paperclip } from "lucide-react";
import { useState } from "react";
import { lazyPart } from "@/core/lazy-part";
import { splitFiles } from "@/feed/store/message-files";
import { useSession } from "@/sessions/session-context";
import { showHidden } from "@/text/markdown/hidden-characters";
import { FileImage } from "./file-image";
import { DownloadButton, FileName, isText } from "./file-line";
import type { FilePlace } from "./file-requests";
import { useImageAddress } from "./use-file";

const FileViewer = lazyPart(() => import("./file-viewer"), "FileViewer");

/** The files of a message: images in a row, and below them a line for each other file. */
export function MessageFiles({ message }: { readonly message: Message }) {
  const { session } = useSession();
  const [shown, setShown] = useState<MessageFile | null>(null);
  const toPlace = (file: MessageFile) => ({
    sessionId: session.session_id,
    sequence: message.sequence,
    file,
  });
  const { images, others } = splitFiles(message);
  return (
    <>
      {images.length > 0 && (
        <ul aria-label="Images" className="flex h-40 gap-2 overflow-x-auto">
          {images.map((file) => (
            <li key={file.digest} className="shrink-0">
              <ImageTile place={toPlace(file)} onShow={() => setShown(file)} />
            </li>
          ))}
        </ul>
      )}
      {others.length > 0 && (
        <ul aria-label="Files">
          {others.map((file) => (
            <FileLine key={file.digest} place={toPlace(file)} onShow={() => setShown(file)} />
          ))}
        </ul>
      )}
      {shown && (
        <FileViewer
          places={[...images, ...others.filter(isText)].map(toPlace)}
          first={toPlace(shown)}
          onClose={() => setShown(null)}
        />
      )}
    </>
  );
}

interface FileProps {
  readonly place: FilePlace;
  readonly onShow: () => void;
}

/** A tile of fixed size, so that nothing moves when the image appears. */
function ImageTile({ place, onShow }: FileProps) {
  const { content, refusal } = useImageAddress(place);
  const name = showHidden(place.file.name);
  return (
    <button
      type="button"
      title={name}
      onClick={onShow}
      className="flex h-38 w-48 items-center justify-center overflow-hidden rounded-md border bg-surface p-1 -outline-offset-2 hover:bg-raised"
    >
      {content !== null ? (
        <FileImage address={content} name={name} />
      ) : (
        <span className="truncate px-1 text-sm text-muted-foreground">
          {refusal === null ? name : `${name}: ${refusal.title}`}
        </span>
      )}
    </button>
  );
}

/** A file's name and size. */
function FileLine({ place, onShow }: FileProps) {
  const { file } = place;
  const Icon = isText(file) ? FileText : Paperclip;
  return (
    <li className="flex h-9 min-w-0 items-center gap-2 pointer-coarse:h-11">
      <Icon aria-hidden className="size-4 shrink-0 text-muted-foreground" />
      <FileName file={file} onShow={onShow} />
      <span className="shrink-0 text-sm text-muted-foreground">{describeBytes(file.size)}</span>
      <DownloadButton place={place} />
    </li>
  );
}
