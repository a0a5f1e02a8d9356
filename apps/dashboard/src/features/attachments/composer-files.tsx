"use client";

import { limits } from "@merkle/wire/limits";
import { describeBytes } from "@merkle/wire/text";
import { Paperclip, X } from "lucide-react";
import { type ChangeEvent, type ReactNode, useEffect, useImperativeHandle, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { toRefusal } from "@/broker/refusal";
import { useDraft } from "@/feed/compose/compose-context";
import type { DraftStore } from "@/feed/compose/draft-store";
import type { ComposerFilesProps } from "@/parts/feature";
import { useSession } from "@/sessions/session-context";
import { showHidden } from "@/text/markdown/hidden-characters";
import { Button } from "@/ui/button";
import { createUploadId, type SentFile, useUpload } from "./upload-file";

/** A file that was added, and is not part of the draft yet. */
interface Upload {
  readonly id: number;
  readonly file: File;
  readonly uploadId: string;
  readonly sent: number;
  /** Why the file cannot be attached, in words. */
  readonly problem: string | null;
  /** True if another attempt can succeed. */
  readonly canRetry: boolean;
}

/**
 * The button that adds files to the message, and above the field the files that were added. Files can also be pasted into
 * the field and dropped on the composer. Each is uploaded at once, so that sending does not wait for it.
 */
export function ComposerFiles({ form, slot, uploads: ref }: ComposerFilesProps) {
  const { draft, store } = useDraft();
  const { uploads, problem, add, retry, remove, settle } = useUploads(store);
  const input = useRef<HTMLInputElement>(null);
  const isOver = useDroppedFiles(form, add);
  const failed = uploads.find((each) => each.problem !== null);
  useImperativeHandle(ref, () => ({
    isRunning: uploads.some((each) => each.problem === null),
    problem: failed ? `Remove ${showHidden(failed.file.name)} to send the message without it.` : null,
    settle,
  }));

  function choose({ currentTarget }: ChangeEvent<HTMLInputElement>): void {
    add([...(currentTarget.files ?? [])]);
    // Otherwise choosing the same file again would change nothing.
    currentTarget.value = "";
  }

  return (
    <>
      <input ref={input} type="file" multiple hidden aria-label="Files to attach" onChange={choose} />
      <Button
        type="button"
        variant="ghost"
        size="icon"
        aria-label="Attach files"
        title="Attach files"
        className="h-8.5 text-muted-foreground"
        onClick={() => input.current?.click()}
      >
        <Paperclip aria-hidden />
      </Button>
      {slot &&
        createPortal(
          <>
            {isOver && (
              <p className="rounded-md border border-dashed border-primary px-3 py-2 text-muted-foreground">
                Drop files to attach them.
              </p>
            )}
            {problem !== null && (
              <p role="alert" className="text-sm text-danger">
                {problem}
              </p>
            )}
            {draft.files.length + uploads.length > 0 && (
              <ul aria-label="Attached files" className="grid gap-1">
                {draft.files.map((file, index) => (
                  <FileRow
                    key={file.digest}
                    name={file.name}
                    onRemove={() => store.change({ files: draft.files.toSpliced(index, 1) })}
                  >
                    <span className="shrink-0 text-sm text-muted-foreground">{describeBytes(file.size)}</span>
                  </FileRow>
                ))}
                {uploads.map((upload) => (
                  <UploadRow
                    key={upload.id}
                    upload={upload}
                    onRetry={() => retry(upload)}
                    onRemove={() => remove(upload.id)}
                  />
                ))}
              </ul>
            )}
          </>,
          slot,
        )}
    </>
  );
}

interface UploadRowProps {
  readonly upload: Upload;
  readonly onRetry: () => void;
  readonly onRemove: () => void;
}

function UploadRow({ upload, onRetry, onRemove }: UploadRowProps) {
  const { file, sent, problem, canRetry } = upload;
  return (
    <FileRow name={file.name} problem={problem} onRemove={onRemove}>
      {problem === null ? (
        <progress
          aria-label={`Sending ${showHidden(file.name)}`}
          max={Math.max(1, file.size)}
          value={sent}
          className="h-1.5 w-24"
        />
      ) : canRetry ? (
        <Button type="button" variant="ghost" size="sm" onClick={onRetry}>
          Try again
        </Button>
      ) : (
        <span className="shrink-0 text-sm text-muted-foreground">Not attached</span>
      )}
    </FileRow>
  );
}

interface FileRowProps {
  readonly name: string;
  readonly problem?: string | null;
  readonly onRemove: () => void;
  readonly children: ReactNode;
}

function FileRow({ name, problem = null, onRemove, children }: FileRowProps) {
  const shownName = showHidden(name);
  return (
    <li className="flex min-w-0 flex-wrap items-center gap-x-2 rounded-md border bg-surface ps-2">
      <bdi className="min-w-0 flex-1 truncate">{shownName}</bdi>
      {children}
      <Button
        type="button"
        variant="ghost"
        size="icon"
        aria-label={`Remove ${shownName}`}
        className="size-7"
        onClick={onRemove}
      >
        <X aria-hidden />
      </Button>
      {problem !== null && (
        <p role="alert" className="basis-full pe-2 pb-1 text-sm text-danger">
          {problem}
        </p>
      )}
    </li>
  );
}

/** Uploads added files one after another, so that the draft has them in the order in which they were added. */
function useUploads(store: DraftStore) {
  const { session } = useSession();
  const send = useUpload(session.session_id);
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const [problem, setProblem] = useState<string | null>(null);
  const controllers = useRef(new Map<number, AbortController>());
  const failures = useRef(new Map<number, unknown>());
  const last = useRef<Promise<void>>(Promise.resolve());
  const lastId = useRef(0);
  useEffect(() => {
    const running = controllers.current;
    return () => {
      for (const controller of running.values()) controller.abort();
    };
  }, []);

  function change(id: number, fields: Partial<Upload>): void {
    setUploads((now) => now.map((each) => (each.id === id ? { ...each, ...fields } : each)));
  }

  function drop(id: number): void {
    controllers.current.delete(id);
    failures.current.delete(id);
    setUploads((now) => now.filter((each) => each.id !== id));
  }

  async function upload(id: number, sent: SentFile, { signal }: AbortController): Promise<void> {
    try {
      const stored = await send(sent, { signal, onBytes: (bytes) => change(id, { sent: bytes }) });
      const { files } = store.current;
      const same = files.find(({ digest }) => digest === stored.digest);
      if (same) setProblem(`${showHidden(stored.name)} is attached already, as ${showHidden(same.name)}.`);
      else store.change({ files: [...files, stored] });
      drop(id);
    } catch (error) {
      if (signal.aborted) return;
      failures.current.set(id, error);
      change(id, { problem: toRefusal(error).detail, canRetry: true });
    }
  }

  function start(id: number, sent: SentFile): void {
    const controller = new AbortController();
    controllers.current.set(id, controller);
    last.current = last.current.then(() => upload(id, sent, controller));
  }

  return {
    uploads,
    problem,
    add(files: readonly File[]): void {
      const room = limits.attachmentsMax - store.current.files.length - uploads.length;
      setProblem(files.length > room ? `A message can have up to ${limits.attachmentsMax} files.` : null);
      for (const file of files.slice(0, Math.max(0, room))) {
        lastId.current += 1;
        const id = lastId.current;
        const uploadId = createUploadId();
        const fileProblem = findProblem(file);
        setUploads((now) => [...now, { id, file, uploadId, sent: 0, problem: fileProblem, canRetry: false }]);
        if (fileProblem === null) start(id, { file, uploadId, isContinued: false });
      }
    },
    /** Sends what is missing of a file whose upload failed. */
    retry({ id, file, uploadId }: Upload): void {
      failures.current.delete(id);
      change(id, { problem: null, canRetry: false });
      start(id, { file, uploadId, isContinued: file.size > 0 });
    },
    remove(id: number): void {
      controllers.current.get(id)?.abort();
      drop(id);
      setProblem(null);
    },
    async settle(): Promise<void> {
      await last.current;
      for (const failure of failures.current.values()) throw failure;
    },
  };
}

function findProblem({ size }: File): string | null {
  if (size <= limits.attachmentBytesMax) return null;
  return `Files can have up to ${describeBytes(limits.attachmentBytesMax)}; this one has ${describeBytes(size)}.`;
}

/** Calls `add` with the files that are pasted into the form or dropped on it. Returns whether files are being dragged over it. */
function useDroppedFiles(form: ComposerFilesProps["form"], add: (files: readonly File[]) => void): boolean {
  const [isOver, setIsOver] = useState(false);
  const onFiles = useRef(add);
  useEffect(() => {
    onFiles.current = add;
  });
  useEffect(() => {
    const element = form.current;
    if (element === null) return;
    const controller = new AbortController();
    const { signal } = controller;
    const take = (event: Event, transfer: DataTransfer | null) => {
      setIsOver(false);
      if (!transfer || transfer.files.length === 0) return;
      event.preventDefault();
      onFiles.current([...transfer.files]);
    };
    element.addEventListener("paste", (event) => take(event, event.clipboardData), { signal });
    element.addEventListener("drop", (event) => take(event, event.dataTransfer), { signal });
    element.addEventListener(
      "dragover",
      (event) => {
        if (!event.dataTransfer?.types.includes("Files")) return;
        // Without this, the browser would open the file instead of the page.
        event.preventDefault();
        setIsOver(true);
      },
      { signal },
    );
    element.addEventListener(
      "dragleave",
      (event) => {
        if (!(event.relatedTarget instanceof Node && element.contains(event.relatedTarget))) setIsOver(false);
      },
      { signal },
    );
    return () => controller.abort();
  }, [form]);
  return isOver;
}
