"use client";

import { limits } from "@merkle/wire/limits";
import { useEffect, useState } from "react";
import { toProblem } from "@/broker/problem";
import { useAdmitted } from "@/broker/use-admitted";
import { useBroker } from "@/broker/use-broker";
import { FormDialog } from "@/components/form-dialog";
import { createPerson } from "@/identity/create-person";
import { declineName } from "@/identity/require-person";
import { Field, FieldError, FieldLabel } from "@/ui/field";
import { Input } from "@/ui/input";

/** Asks for the person's name once, before the first write. For a member, the member's name is used instead. */
export function PersonDialog() {
  const broker = useBroker();
  const as = useAdmitted()?.as;
  const memberName = as?.kind === "member" ? as.name : null;
  const [name, setName] = useState(memberName ?? "");
  const [problem, setProblem] = useState("");
  const [isCreating, setCreating] = useState(memberName !== null);

  useEffect(() => {
    if (memberName === null) return;
    createPerson(broker, memberName).catch((error: unknown) => {
      setProblem(toProblem(error).detail);
      setCreating(false);
    });
  }, [broker, memberName]);

  async function create(): Promise<void> {
    setProblem("");
    await createPerson(broker, name.trim());
  }

  if (isCreating) return null;
  return (
    <FormDialog
      className="sm:max-w-md"
      title="What should others call you?"
      description="Shown next to your messages. Saved in this browser. Continue finishes what you just did."
      submit="Continue"
      submitting="Saving…"
      cancel="Not now"
      onSubmit={create}
      onClose={declineName}
    >
      <Field>
        <FieldLabel>Your name</FieldLabel>
        <Input
          required
          dir="auto"
          maxLength={limits.nameCharsMax}
          autoComplete="nickname"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </Field>
      <FieldError>{problem}</FieldError>
    </FormDialog>
  );
}
