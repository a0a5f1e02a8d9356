"use client";

import type { HelloResult } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { type FormEvent, useId, useState } from "react";
import { useAction } from "@/broker/use-action";
import { useAdmitted } from "@/broker/use-admitted";
import { useBroker } from "@/broker/use-broker";
import { RefusalNote } from "@/components/refusal-note";
import { lazyPart } from "@/core/lazy-part";
import { createPerson } from "@/identity/create-person";
import { type Person, setPerson } from "@/identity/person";
import { usePerson } from "@/identity/use-person";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Input } from "@/ui/input";
import { SignOutButton } from "@/views/sign-in/sign-out-button";

const ForgetMeDialog = lazyPart(() => import("./forget-me-dialog"), "ForgetMeDialog");

/** The person using this browser: their name, their key, and how to use the key in another browser. */
export function NameSettings() {
  const { person } = usePerson();
  const admitted = useAdmitted();
  if (admitted !== null) {
    return (
      <div className="grid gap-5">
        <SignedIn admitted={admitted} />
        {person && <NameForm key={person.credential} person={person} />}
      </div>
    );
  }
  return (
    <div className="grid gap-5">
      <NameForm key={person?.credential ?? "nobody"} person={person} />
      {person && <OwnKey person={person} />}
      <GivenKey person={person} />
    </div>
  );
}

/** The member that this browser is signed in as. Other browsers sign in with their own links. */
function SignedIn({ admitted }: { admitted: HelloResult }) {
  const { as, mesh } = admitted;
  return (
    <div className="flex flex-wrap items-center justify-between gap-3 rounded-lg border px-3 py-2.5">
      <p className="min-w-0 flex-1 basis-56">
        Signed in{" "}
        {as.kind === "member" && (
          <>
            as <bdi className="font-medium">{as.name}</bdi>
            {as.role === "admin" ? ", an admin" : ", a member"} of
          </>
        )}{" "}
        the mesh <bdi className="font-medium">{mesh}</bdi>
      </p>
      <SignOutButton variant="outline">Sign out…</SignOutButton>
    </div>
  );
}

function NameForm({ person }: { person: Person | null }) {
  const broker = useBroker();
  const { run, isPending, refusal } = useAction();
  const [name, setName] = useState(person?.name ?? "");
  const [isSaved, setIsSaved] = useState(false);
  const id = useId();

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    setIsSaved(
      await run(async (signal) => {
        if (person === null) {
          await createPerson(broker, name);
          return;
        }
        const result = await broker.call("rename_person", { name, team_id: person.credential }, { signal });
        setPerson({ ...person, name: result.name });
      }),
    );
  }

  return (
    <form className="grid gap-1.5" onSubmit={(event) => void submit(event)}>
      <label htmlFor={id} className="text-sm font-medium">
        Name
      </label>
      <div className="flex flex-wrap gap-2">
        <Input
          id={id}
          dir="auto"
          required
          maxLength={limits.nameCharsMax}
          autoComplete="nickname"
          className="max-w-80 flex-1"
          value={name}
          aria-describedby={`${id}-note`}
          onChange={(event) => {
            setName(event.target.value);
            setIsSaved(false);
          }}
        />
        <Button type="submit" disabled={isPending || name.trim() === "" || name.trim() === person?.name}>
          {person === null ? "Save name" : "Update name"}
        </Button>
      </div>
      <p id={`${id}-note`} role="status" className="text-sm text-muted-foreground">
        {isSaved
          ? "Saved. Sessions you’ve already joined keep your earlier name."
          : person === null
            ? "Add a name so others know who is posting."
            : "Shown next to your messages."}
      </p>
      <RefusalNote refusal={refusal} />
    </form>
  );
}

function OwnKey({ person }: { person: Person }) {
  const [isLeaving, setIsLeaving] = useState(false);
  return (
    <div className="grid gap-1.5">
      <h3 className="text-sm font-medium">Sign in on another browser</h3>
      <p className="text-sm text-muted-foreground">
        Copy your key here and paste it there. Anyone who has it can post as you. Never share it.
      </p>
      <div className="flex flex-wrap items-center gap-2">
        <CopyButton text={person.credential} contentName="my key" />
        <Button variant="outline" size="sm" onClick={() => setIsLeaving(true)}>
          Sign out of this browser…
        </Button>
      </div>
      {isLeaving && <ForgetMeDialog name={person.name} onClose={() => setIsLeaving(false)} />}
    </div>
  );
}

function GivenKey({ person }: { person: Person | null }) {
  const broker = useBroker();
  const { run, isPending, refusal } = useAction();
  const [key, setKey] = useState("");
  const [signedInName, setSignedInName] = useState<string | null>(null);
  const id = useId();

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    await run(async (signal) => {
      const credential = key.trim();
      const knownPerson = await broker.call("get_person", { team_id: credential }, { signal });
      setPerson({
        id: knownPerson.person_id,
        name: knownPerson.name,
        credential,
        verified: knownPerson.verified,
      });
      setSignedInName(knownPerson.name);
      setKey("");
    });
  }

  return (
    <form className="grid gap-1.5" onSubmit={(event) => void submit(event)}>
      <label htmlFor={id} className="text-sm font-medium">
        {person === null ? "Or use your account from another browser" : "Switch account"}
      </label>
      <div className="flex flex-wrap gap-2">
        <Input
          id={id}
          // Contains a secret, but not a password that the browser should save.
          type="password"
          autoComplete="off"
          className="max-w-80 flex-1 font-mono"
          placeholder="Paste your key"
          value={key}
          onChange={(event) => setKey(event.target.value)}
        />
        <Button type="submit" variant="outline" disabled={isPending || key.trim() === ""}>
          Use this key
        </Button>
      </div>
      <p role="status" className="text-sm text-muted-foreground">
        {signedInName !== null && (
          <>
            Signed in here as <bdi>{signedInName}</bdi>.
          </>
        )}
      </p>
      <RefusalNote refusal={refusal} />
    </form>
  );
}
