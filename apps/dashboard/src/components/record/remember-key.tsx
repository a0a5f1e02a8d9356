"use client";

import type { AuditKey, SignedHead } from "@merkle/wire/record";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import { rememberHead } from "@/lib/record/seen-heads";

export interface RememberKeyProps {
  readonly head: SignedHead;
  readonly keys: readonly AuditKey[];
}

/** Has this browser believe a key from here on, for one record: later exports of it must be signed with it. */
export function RememberKey({ head, keys }: RememberKeyProps) {
  const [isKept, setKept] = useState(false);
  return (
    <p role="status" className="flex flex-wrap items-center gap-x-3 gap-y-1">
      {isKept ? (
        "This browser remembers the key, and this record, from here on."
      ) : (
        <Button
          variant="outline"
          size="sm"
          onClick={() => {
            rememberHead({ head, keys });
            setKept(true);
          }}
        >
          I have compared it: remember it
        </Button>
      )}
    </p>
  );
}
