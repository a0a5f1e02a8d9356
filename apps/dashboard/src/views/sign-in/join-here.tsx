"use client";

import { limits } from "@merkle/wire/limits";
import { type FormEvent, useId, useState } from "react";
import { useAction } from "@/broker/use-action";
import { RefusalNote } from "@/components/refusal-note";
import { type InvitePreview, joinHere } from "@/identity/join";
import { forgetKept } from "@/identity/kept-secret";
import { Button } from "@/ui/button";
import { Input } from "@/ui/input";

/** Joins with a key that this browser generates, signs in, and opens the invite's page. */
export function JoinHere({ invite, preview }: { readonly invite: string; readonly preview: InvitePreview }) {
  const id = useId();
  const [name, setName] = useState("");
  const { run, pending, refusal } = useAction();

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    await run(async () => {
      const { session } = await joinHere(preview, invite, name.trim());
      forgetKept("join");
      // Replaces the history entry: Back would lead to an invite that may be used up.
      window.location.replace(session === null ? "/" : `/sessions/${session.slug}`);
    });
  }

  return (
    <form className="grid gap-1.5 border-t pt-5" onSubmit={(event) => void submit(event)}>
      <h2 className="text-lg font-semibold">In this browser</h2>
      <label htmlFor={id} className="font-medium">
        What should others call you?
      </label>
      <div className="flex flex-wrap gap-2">
        <Input
          id={id}
          dir="auto"
          required
          maxLength={limits.nameCharsMax}
          autoComplete="nickname"
          className="h-10 min-w-48 flex-1"
          value={name}
          aria-describedby={`${id}-note`}
          onChange={(event) => setName(event.target.value)}
        />
        <Button type="submit" className="h-10 px-5" disabled={pending || name.trim() === ""}>
          {pending ? "Joining…" : "Join"}
        </Button>
      </div>
      <p id={`${id}-note`} className="text-sm text-muted-foreground">
        A key is created for you and stored in this browser for {window.location.host}. Use it to sign in here
        again. It never leaves this browser.
      </p>
      <RefusalNote refusal={refusal} />
    </form>
  );
}
