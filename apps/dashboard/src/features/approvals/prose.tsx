/** Text of an agent as it was written. Markdown would hide parts of it, such as the target of a link. */
export function Prose({ text }: { readonly text: string }) {
  return (
    <p dir="auto" className={boxClassName}>
      {text}
    </p>
  );
}

export const boxClassName =
  "rounded-md border bg-surface px-3 py-2 text-sm [overflow-wrap:anywhere] whitespace-pre-wrap";
