import { useId } from "react";
import { cn } from "@/core/utils";
import { CopyButton } from "@/ui/copy-button";

export interface SnippetProps {
  readonly label: string;
  readonly text: string;
  readonly className?: string | undefined;
}

/** Text with a label and a copy button. Long lines wrap. */
export function Snippet({ label, text, className }: SnippetProps) {
  const id = useId();
  return (
    <figure aria-labelledby={id} className={cn("min-w-0", className)}>
      <div className="mb-1 flex items-center justify-between gap-2">
        <span id={id} className="text-sm font-medium">
          {label}
        </span>
        <CopyButton text={text} contentName={label} />
      </div>
      <pre className="rounded-md border bg-surface px-3 py-2 font-mono text-xs leading-5 break-words whitespace-pre-wrap">
        <code>{text}</code>
      </pre>
    </figure>
  );
}
