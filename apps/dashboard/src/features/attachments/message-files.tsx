"use client";

import type { Message, MessageFile } from "@merkle/wire";
import { describeBytes } from "@merkle/wire/text";
import { Download, FileText, Paperclip } from "lucide-react";
import { useState } from "react";
import { toRefusal } from "@/broker/refusal";
import { useAction } from "@/broker/use-action";
import { lazyPart } from "@/core/lazy-part";
import { splitFiles } from "@/feed/store/message-files";
import { useSession } from "@/sessions/session-context";
import { showHidden } from "@/text/markdown/hidden-characters";
import { Button } from "@/ui/button";
import { useToast } from "@/ui/toast-provider";
import { FileImage } from "./file-image";
import { type FilePlace, saveFile } from "./file-requests";
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
          {images.map((file, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a message can have a file twice, and its files never change.
            <li key={index} className="shrink-0">
              <ImageTile place={toPlace(file)} onShow={() => setShown(file)} />
            </li>
          ))}
        </ul>
      )}
      {others.length > 0 && (
        <ul aria-label="Files">
          {others.map((file, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: as above.
            <FileLine key={index} place={toPlace(file)} onShow={() => setShown(file)} />
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

function isText({ type }: MessageFile): boolean {
  return type === "text/plain";
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

/** A file's name and size. A text file opens in the viewer. */
function FileLine({ place, onShow }: FileProps) {
  const { file } = place;
  const { run, isPending } = useAction();
  const toast = useToast();
  const name = showHidden(file.name);
  const canShow = isText(file);
  const Icon = canShow ? FileText : Paperclip;

  async function save(signal: AbortSignal): Promise<void> {
    try {
      await saveFile(place, signal);
    } catch (error) {
      // A note in the line would change its height.
      if (!signal.aborted) toast({ text: `Not downloaded: ${toRefusal(error).detail}`, tone: "failed" });
    }
  }

  return (
    <li className="flex h-9 min-w-0 items-center gap-2 pointer-coarse:h-11">
      <Icon aria-hidden className="size-4 shrink-0 text-muted-foreground" />
      {canShow ? (
        <button
          type="button"
          onClick={onShow}
          className="min-h-6 min-w-0 truncate text-link hover:underline pointer-coarse:min-h-11"
        >
          <bdi>{name}</bdi>
        </button>
      ) : (
        <bdi className="min-w-0 truncate">{name}</bdi>
      )}
      <span className="shrink-0 text-sm text-muted-foreground">{describeBytes(file.size)}</span>
      <Button
        variant="ghost"
        size="icon"
        aria-label={`Download ${name}`}
        title="Download"
        disabled={isPending}
        onClick={() => void run(save)}
      >
        <Download aria-hidden />
      </Button>
    </li>
  );
}
