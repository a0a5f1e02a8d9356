"use client";

import { Button } from "@/components/ui/button";
import { forgetKept } from "@/lib/sign-in/kept-secret";

/** Forgets the link that led here, and asks for another or a sign-in. */
export function PasteAnother() {
  return (
    <div className="flex flex-wrap gap-2 border-t pt-5">
      <Button
        variant="outline"
        onClick={() => {
          forgetKept("join");
          window.location.reload();
        }}
      >
        Use another link
      </Button>
    </div>
  );
}
