/** Replaces the page's CodeBlock in HTML exports: a block of code without syntax colours. */
export function CodeBlock({ code }: { readonly code: string }) {
  return (
    <pre
      dir="ltr"
      className="my-2 overflow-x-auto rounded-md border bg-surface px-3 py-2 font-mono text-sm leading-5 first:mt-0 last:mb-0 print:whitespace-pre-wrap"
    >
      <code>{code}</code>
    </pre>
  );
}
