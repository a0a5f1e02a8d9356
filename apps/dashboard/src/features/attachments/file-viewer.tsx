"use client";

import { describeBytes } from "@merkle/wire/text";
import { ChevronLeft, ChevronRight, Download } from "lucide-react";
import { type KeyboardEvent, useState } from "react";
import { useAction } from "@/broker/use-action";
import { RefusalNote } from "@/components/refusal-note";
import { isImage } from "@/feed/store/message-files";
import { showHidden } from "@/text/markdown/hidden-characters";
import { Button } from "@/ui/button";
import { Dialog, DialogContent, DialogDescription, DialogHeader, DialogTitle } from "@/ui/dialog";
import { FileImage } from "./file-image";
import { type FilePlace, saveFile } from "./file-requests";
import { useImageAddress, useTextStart } from "./use-file";

export interface FileViewerProps {
  /** The images and texts that the arrow keys move through. */
  readonly places: readonly FilePlace[];
  readonly first: FilePlace;
  readonly onClose: () => void;
}

/** Shows an image or a text over the page. The arrow keys show the previous and the next file, and Escape closes. */
export function FileViewer({ places, first, onClose }: FileViewerProps) {
  const [index, setIndex] = useState(() =>
    Math.max(
      0,
      places.findIndex(({ file }) => file === first.file),
    ),
  );
  const { run, isPending, refusal, reset } = useAction();
  const place = places[index] ?? first;
  const { file } = place;
  const name = showHidden(file.name);

  function move(by: number): void {
    reset();
    setIndex((index + by + places.length) % places.length);
  }

  function press(event: KeyboardEvent): void {
    if (places.length < 2 || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    event.preventDefault();
    move(event.key === "ArrowLeft" ? -1 : 1);
  }

  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent
        className="h-[calc(100dvh-4rem)] sm:max-w-[min(calc(100vw-4rem),80rem)] open:grid-rows-[auto_minmax(0,1fr)_auto]"
        onKeyDown={press}
      >
        <DialogHeader>
          <DialogTitle>
            <bdi className="[overflow-wrap:anywhere]">{name}</bdi>
          </DialogTitle>
          <DialogDescription>
            {describeBytes(file.size)}
            {places.length > 1 && `, ${index + 1} of ${places.length}`}
          </DialogDescription>
        </DialogHeader>
        <FileContent key={index} place={place} />
        <div className="flex flex-wrap items-center justify-end gap-2">
          <RefusalNote refusal={refusal} />
          {places.length > 1 && (
            <>
              <Button variant="outline" size="icon" aria-label="Previous file" onClick={() => move(-1)}>
                <ChevronLeft aria-hidden />
              </Button>
              <Button variant="outline" size="icon" aria-label="Next file" onClick={() => move(1)}>
                <ChevronRight aria-hidden />
              </Button>
            </>
          )}
          <Button
            variant="outline"
            disabled={isPending}
            onClick={() => void run((signal) => saveFile(place, signal))}
          >
            <Download aria-hidden />
            Download
          </Button>
        </div>
      </DialogContent>
    </Dialog>
  );
}

function FileContent({ place }: { readonly place: FilePlace }) {
  return isImage(place.file) ? <ImageContent place={place} /> : <TextContent place={place} />;
}

const contentArea = "min-h-48 overflow-auto rounded-md border bg-surface";

function ImageContent({ place }: { readonly place: FilePlace }) {
  const { content, refusal } = useImageAddress(place);
  return (
    <div className={`${contentArea} flex items-center justify-center p-2`}>
      {content !== null && <FileImage address={content} name={showHidden(place.file.name)} />}
      <RefusalNote refusal={refusal} />
    </div>
  );
}

function TextContent({ place }: { readonly place: FilePlace }) {
  const { content, refusal } = useTextStart(place);
  return (
    // The area scrolls, so the keyboard must be able to reach it.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above.
    <section aria-label="Text of the file" tabIndex={0} className={contentArea}>
      {content !== null && (
        <pre dir="auto" className="p-3 font-mono text-sm whitespace-pre-wrap [overflow-wrap:anywhere]">
          {showHidden(content.text)}
        </pre>
      )}
      {content?.isCut && (
        <p className="border-t p-3 text-muted-foreground">
          The rest is not shown. Download the file to read all.
        </p>
      )}
      <RefusalNote refusal={refusal} />
    </section>
  );
}
