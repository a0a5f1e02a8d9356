"use client";

import { FileArchive } from "lucide-react";
import { useEffect, useId, useRef, useState } from "react";
import { cn } from "@/core/utils";
import { Button } from "@/ui/button";

export interface BundleDropProps {
  readonly disabled: boolean;
  readonly onFile: (file: File) => void;
}

/**
 * Lets the user choose an export file, or drop it anywhere on the page. Without this component, the browser would open
 * a dropped file.
 */
export function BundleDrop({ disabled, onFile }: BundleDropProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const latest = useRef({ disabled, onFile });
  useEffect(() => {
    latest.current = { disabled, onFile };
  });

  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    window.addEventListener(
      "dragover",
      (event) => {
        event.preventDefault();
        setOver(true);
      },
      { signal },
    );
    window.addEventListener("dragleave", (event) => event.relatedTarget === null && setOver(false), {
      signal,
    });
    window.addEventListener(
      "drop",
      (event) => {
        event.preventDefault();
        setOver(false);
        const file = event.dataTransfer?.files[0];
        if (file && !latest.current.disabled) latest.current.onFile(file);
      },
      { signal },
    );
    return () => controller.abort();
  }, []);

  return (
    <section
      aria-labelledby={`${id}-title`}
      className={cn(
        "grid justify-items-center gap-3 rounded-lg border border-dashed border-input px-4 py-12 text-center duration-150 motion-safe:transition-colors",
        isOver && "border-primary bg-surface",
      )}
    >
      <FileArchive aria-hidden className="size-8 text-muted-foreground" />
      <p id={`${id}-title`} className="text-lg font-medium">
        Drop an export here
      </p>
      <p className="max-w-prose text-balance text-muted-foreground">
        A .zip or .html file from a session’s Audit tab or{" "}
        <code className="font-mono text-sm">merkle export</code>.
      </p>
      <input
        ref={input}
        id={`${id}-file`}
        type="file"
        aria-label="Export file"
        accept=".zip,.html,application/zip,text/html"
        tabIndex={-1}
        className="sr-only"
        onChange={({ target }) => {
          const file = target.files?.[0];
          // Clears the value, so that choosing the same file again triggers another check.
          target.value = "";
          if (file) onFile(file);
        }}
      />
      <Button disabled={disabled} onClick={() => input.current?.click()}>
        Choose a file…
      </Button>
    </section>
  );
}
