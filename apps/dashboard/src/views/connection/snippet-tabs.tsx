"use client";

import { type ReactNode, useState } from "react";
import { CopyButton } from "@/ui/copy-button";
import { Segmented } from "@/ui/segmented";

export interface SnippetTabsProps {
  readonly snippets: readonly {
    readonly id: string;
    readonly label: string;
    readonly text: string;
    /** Explains what the snippet does and where to paste it. */
    readonly note: string;
  }[];
  /** Fields above the snippet that change it. */
  readonly children?: ReactNode;
}

/** The snippets that connect an agent, one tab per client. The first is selected by default. */
export function SnippetTabs({ snippets, children }: SnippetTabsProps) {
  const [chosenId, setChosenId] = useState<string | null>(null);
  const snippet = snippets.find(({ id }) => id === chosenId) ?? snippets[0];
  if (!snippet) return null;
  return (
    <figure aria-label={`Connect with ${snippet.label}`} className="min-w-0 rounded-lg border">
      <div className="flex items-start justify-between gap-2 border-b p-2">
        <Segmented
          label="Connect with"
          value={snippet.id}
          onChange={setChosenId}
          options={snippets.map(({ id, label }) => ({ value: id, label }))}
          // On touch screens the tabs are one scrollable row that fades out at its end.
          className="min-w-0 border-0 p-0 *:[label]:shrink-0 pointer-coarse:-m-1 pointer-coarse:flex-nowrap pointer-coarse:overflow-x-auto pointer-coarse:p-1 pointer-coarse:pe-8 pointer-coarse:whitespace-nowrap pointer-coarse:[mask-image:linear-gradient(90deg,#000_calc(100%-2rem),transparent)] pointer-coarse:[scrollbar-width:none]"
        />
        <CopyButton text={snippet.text} contentName={snippet.label} />
      </div>
      {children}
      <pre className="bg-surface px-3 py-2.5 font-mono text-xs leading-5 break-words whitespace-pre-wrap">
        <code>{snippet.text}</code>
      </pre>
      <figcaption className="rounded-b-lg border-t px-3 py-2 text-sm text-muted-foreground">
        {snippet.note}
      </figcaption>
    </figure>
  );
}
