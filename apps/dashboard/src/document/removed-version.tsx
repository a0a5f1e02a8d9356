import { RemovedText } from "@/components/removed-text";
import type { DocumentRead } from "./use-document";

/** Shown instead of a version or comparison whose text was removed. */
export function RemovedVersion({ doc }: { readonly doc: DocumentRead }) {
  return (
    <div className="grid justify-items-center gap-1 px-4 py-10 text-center">
      <p className="font-medium">The text of version {doc.redacted_version} was removed.</p>
      <RemovedText redaction={doc.redaction} />
    </div>
  );
}
