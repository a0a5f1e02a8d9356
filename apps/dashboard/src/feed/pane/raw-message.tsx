import type { Message } from "@merkle/wire";
import { showHidden } from "@/text/markdown/hidden-characters";

/** A message as JSON, as the broker returns it. */
export function RawMessage({ message }: { readonly message: Message }) {
  return (
    <pre
      dir="ltr"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a long one is scrolled by keys as well.
      tabIndex={0}
      className="max-h-96 overflow-y-auto rounded-md border bg-surface px-3 py-2 font-mono text-xs leading-5 break-all whitespace-pre-wrap"
    >
      {showHidden(JSON.stringify(message, null, 2))}
    </pre>
  );
}
