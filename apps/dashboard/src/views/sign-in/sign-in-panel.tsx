"use client";

import { type FormEvent, type ReactNode, useId, useState, useSyncExternalStore } from "react";
import type { Refusal } from "@/broker/refusal";
import { useAction } from "@/broker/use-action";
import { RefusalNote } from "@/components/refusal-note";
import { Snippet } from "@/components/snippet";
import { useHydrated } from "@/core/address/use-hydrated";
import { type BrowserMember, findBrowserMember, onBrowserMemberChange } from "@/identity/member-key";
import { signInByKey } from "@/identity/sign-in";
import { Button } from "@/ui/button";
import { FieldError } from "@/ui/field";
import { Input } from "@/ui/input";
import { useLink } from "./use-link";

export interface SignInPanelProps {
  readonly title: string;
  /** Explains what happened, or what this page is. */
  readonly about: ReactNode;
  /** Called once this browser is signed in. */
  readonly onSignedIn: () => void;
}

/** The ways to sign in: with the key stored in this browser, or with a link. Also explains where to get a link. */
export function SignInPanel({ title, about, onSignedIn }: SignInPanelProps) {
  const member = useSyncExternalStore(onBrowserMemberChange, findBrowserMember, () => null);
  return (
    <>
      <div className="grid gap-2">
        <h1 className="text-title font-semibold">{title}</h1>
        <div className="grid gap-1 text-muted-foreground">{about}</div>
      </div>
      {member && <OwnKey member={member} onSignedIn={onSignedIn} />}
      <LinkForm onSignedIn={onSignedIn} />
      <section aria-label="Where to get a link" className="grid gap-3 border-t pt-5 text-sm">
        <p className="text-muted-foreground">
          If you joined with the merkle command, run this on that machine to open the pages and sign in:
        </p>
        <Snippet label="Sign in" text="merkle open" />
        <p className="text-muted-foreground">
          No invite? Ask the person who runs <BrokerName /> for one.
        </p>
      </section>
    </>
  );
}

function OwnKey({ member, onSignedIn }: { readonly member: BrowserMember; readonly onSignedIn: () => void }) {
  const { run, isPending, refusal } = useAction();
  async function signIn(): Promise<void> {
    if (await run(async () => void (await signInByKey(member)))) onSignedIn();
  }
  return (
    <div className="grid gap-2">
      <Button className="h-10 w-full" disabled={isPending} onClick={() => void signIn()}>
        {isPending ? (
          "Signing in…"
        ) : (
          <span className="truncate">
            Sign in as <bdi>{member.name}</bdi>
          </span>
        )}
      </Button>
      <p className="text-sm text-muted-foreground">
        Uses the key that this browser created when you joined <bdi>{member.mesh}</bdi>.
      </p>
      <RefusalNote refusal={refusal && explainKey(refusal)} />
    </div>
  );
}

/**
 * Explains a refused key. The broker discloses only one reason, a wrong clock. All other reasons have the same remedy.
 */
function explainKey(refusal: Refusal): Refusal {
  if (refusal.code !== "unauthorized") return refusal;
  if (refusal.details["reason"] === "time") return { ...refusal, title: "This device's clock is wrong." };
  return {
    ...refusal,
    title: "This key no longer works.",
    detail: "The membership was revoked, or the broker was set up again. A new invite creates a new key.",
  };
}

function LinkForm({ onSignedIn }: { readonly onSignedIn: () => void }) {
  const id = useId();
  const [text, setText] = useState("");
  const { follow, isPending, problem, refusal } = useLink(onSignedIn);
  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    await follow(text);
  }
  return (
    <form className="grid gap-1.5" onSubmit={(event) => void submit(event)}>
      <label htmlFor={id} className="font-medium">
        Sign-in link, invite or code
      </label>
      <div className="flex flex-wrap gap-2">
        <Input
          id={id}
          // Contains a secret, but not a password that the browser should save.
          type="password"
          autoComplete="off"
          className="min-w-48 flex-1 font-mono"
          placeholder="Paste it here"
          value={text}
          aria-invalid={problem !== null}
          aria-describedby={`${id}-problem`}
          onChange={(event) => setText(event.target.value)}
        />
        <Button type="submit" variant="outline" disabled={isPending || text.trim() === ""}>
          {isPending ? "One moment…" : "Continue"}
        </Button>
      </div>
      <FieldError id={`${id}-problem`}>{problem}</FieldError>
      <RefusalNote refusal={refusal} />
    </form>
  );
}

function BrokerName() {
  const isHydrated = useHydrated();
  return (
    <span className="font-medium text-foreground">{isHydrated ? window.location.host : "this broker"}</span>
  );
}
