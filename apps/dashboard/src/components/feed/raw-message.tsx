import type { Message } from "@merkle/wire";
import { showHidden } from "@/lib/markdown/hidden-characters";

/** A message as the broker gives it out. */
export function RawMessage({ message }: { readonly message: Message }) {
  return (
    <pre
      dir="ltr"
      className="max-h-96 overflow-y-auto rounded-md border bg-surface px-3 py-2 font-mono text-xs leading-5 break-all whitespace-pre-wrap"
    >
      {showHidden(JSON.stringify(message, null, 2))}
    </pre>
  );
}
