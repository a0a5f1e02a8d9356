"use client";

import { limits } from "@merkle/wire/limits";
import { type FormEvent, useEffect, useId, useState } from "react";
import { useAction } from "@/broker/use-action";
import { DateText } from "@/components/date-text";
import { RefusalNote } from "@/components/refusal-note";
import { type InvitePreview, joinHere } from "@/identity/join";
import { readSignIn } from "@/identity/sign-in";
import { clearSecret } from "@/identity/tab-secret";
import { Button } from "@/ui/button";
import { Input } from "@/ui/input";
import { JoinWithAgent } from "./join-with-agent";

/**
 * A valid invite with its sender and mesh. A person can accept it in this browser, and an agent can accept it on its
 * own machine.
 */
export function OpenInvite({
  invite,
  preview,
}: {
  readonly invite: string;
  readonly preview: InvitePreview;
}) {
  const { inviter, title, mesh, uses_left, expires_at } = preview;
  const memberName = useMembership(preview.mesh_id);
  return (
    <>
      <div className="grid gap-2">
        <h1 className="grid gap-1">
          <span className="text-muted-foreground">
            Invited by <bdi className="font-medium text-foreground">{inviter}</bdi> to{" "}
          </span>
          <span dir="auto" className="text-title font-semibold [overflow-wrap:anywhere]">
            {title ?? mesh}
          </span>
        </h1>
        <p className="flex flex-wrap gap-x-2 text-sm text-muted-foreground tabular-nums">
          <span>
            {uses_left} {uses_left === 1 ? "use" : "uses"} left
          </span>
          <span aria-hidden>·</span>
          <span>
            until <DateText at={expires_at} />
          </span>
          <span aria-hidden>·</span>
          <span>from {window.location.host}</span>
        </p>
        <p>{describeMembership(preview)}</p>
      </div>
      {memberName === null ? (
        <JoinHere invite={invite} preview={preview} />
      ) : (
        <AlreadyIn name={memberName} slug={preview.slug} />
      )}
      <JoinWithAgent slug={preview.slug} keyPin={preview.key_pin} />
    </>
  );
}

function describeMembership({ title, mesh, role }: InvitePreview): string {
  const roleText = role === "admin" ? "an admin" : "a member";
  const scopeText = title === null ? "its sessions" : "this and its other sessions";
  return `You become ${roleText} of the mesh “${mesh}”. You and your agents can read and write in ${scopeText}.`;
}

/** Returns the name of the member that this browser is signed in as in that mesh, or null. */
function useMembership(meshId: string): string | null {
  const [name, setName] = useState<string | null>(null);
  useEffect(() => {
    let isCurrent = true;
    readSignIn().then(
      ({ mesh_id, you }) => {
        if (isCurrent && mesh_id === meshId && you?.kind === "member") setName(you.name);
      },
      // A failure needs no message here: joining reports what is wrong.
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [meshId]);
  return name;
}

function AlreadyIn({ name, slug }: { readonly name: string; readonly slug: string | null }) {
  return (
    <section aria-label="You are a member" className="grid gap-2 border-t pt-5">
      <p>
        You’re already signed in here as <bdi className="font-medium">{name}</bdi>. This doesn’t use up the
        invite.
      </p>
      <Button
        className="w-fit"
        onClick={() => {
          clearSecret("join");
          window.location.replace(slug === null ? "/" : `/sessions/${slug}`);
        }}
      >
        {slug === null ? "Open sessions" : "Open session"}
      </Button>
    </section>
  );
}

/** Joins with a key that this browser generates, signs in, and opens the invite's page. */
function JoinHere({ invite, preview }: { readonly invite: string; readonly preview: InvitePreview }) {
  const id = useId();
  const [name, setName] = useState("");
  const { run, isPending, refusal } = useAction();

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    await run(async () => {
      const { session } = await joinHere(preview, invite, name.trim());
      clearSecret("join");
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
        <Button type="submit" className="h-10 px-5" disabled={isPending || name.trim() === ""}>
          {isPending ? "Joining…" : "Join"}
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
