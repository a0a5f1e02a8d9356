import { Check } from "lucide-react";
import type { ReactNode } from "react";

/**
 * Says next to a control that its change has been saved. Stays in the page while empty, so that screen readers announce
 * the note.
 */
export function SavedNote({ isShown, children = "Saved" }: { isShown: boolean; children?: ReactNode }) {
  return (
    <span role="status" className="inline-flex items-center gap-1 text-sm text-success empty:hidden">
      {isShown && (
        <>
          <Check aria-hidden className="size-4 shrink-0" />
          {children}
        </>
      )}
    </span>
  );
}
