"use client";

import { useState } from "react";
import { Button } from "@/components/ui/button";
import { Field, FieldDescription, FieldLabel } from "@/components/ui/field";
import { Textarea } from "@/components/ui/textarea";

export interface ProofPasteProps {
  readonly disabled: boolean;
  readonly onPaste: (text: string) => void;
}

/** Takes a proof as somebody else copied it. */
export function ProofPaste({ disabled, onPaste }: ProofPasteProps) {
  const [text, setText] = useState("");
  return (
    <form
      className="grid gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        onPaste(text);
      }}
    >
      <Field>
        <FieldLabel>The proof</FieldLabel>
        <Textarea
          value={text}
          onChange={({ target }) => setText(target.value)}
          spellCheck={false}
          placeholder="{"
          className="max-h-96 min-h-48 font-mono text-xs leading-5 break-all"
        />
        <FieldDescription>
          JSON, as Proof of a message copies it, or as session_proof answers.
        </FieldDescription>
      </Field>
      <Button type="submit" className="w-fit" disabled={disabled || text.trim() === ""}>
        Verify
      </Button>
    </form>
  );
}
