"use client";

import type { MessageFile } from "@merkle/wire";
import { Download } from "lucide-react";
import { toRefusal } from "@/broker/refusal";
import { useAction } from "@/broker/use-action";
import { isImage } from "@/feed/store/message-files";
import { showHidden } from "@/text/markdown/hidden-characters";
import { Button } from "@/ui/button";
import { useToast } from "@/ui/toast-provider";
import { type FilePlace, saveFile } from "./file-requests";

export function isText({ type }: MessageFile): boolean {
  return type === "text/plain";
}

interface FileNameProps {
  readonly file: MessageFile;
  readonly onShow: () => void;
}

/** A file's name. The name of an image or a text opens the viewer. */
export function FileName({ file, onShow }: FileNameProps) {
  const name = <bdi className="block min-w-0 truncate">{showHidden(file.name)}</bdi>;
  // As high as a button, so that all lines of a list have the same height.
  if (!isImage(file) && !isText(file))
    return <span className="flex min-h-6 min-w-0 items-center pointer-coarse:min-h-11">{name}</span>;
  return (
    <button
      type="button"
      onClick={onShow}
      className="min-h-6 max-w-full min-w-0 text-start text-link hover:underline pointer-coarse:min-h-11"
    >
      {name}
    </button>
  );
}

export function DownloadButton({ place }: { readonly place: FilePlace }) {
  const { run, isPending } = useAction();
  const toast = useToast();

  async function save(signal: AbortSignal): Promise<void> {
    try {
      await saveFile(place, signal);
    } catch (error) {
      // A note in the line would change its height.
      if (!signal.aborted) toast({ text: `Not downloaded: ${toRefusal(error).detail}`, tone: "failed" });
    }
  }

  return (
    <Button
      variant="ghost"
      size="icon"
      aria-label={`Download ${showHidden(place.file.name)}`}
      title="Download"
      disabled={isPending}
      onClick={() => void run(save)}
    >
      <Download aria-hidden />
    </Button>
  );
}
