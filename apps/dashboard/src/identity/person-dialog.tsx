"use client";

import { limits } from "@merkle/wire/limits";
import { type FormEvent, useEffect, useState } from "react";
import { toProblem } from "@/broker/problem";
import { useAdmitted } from "@/broker/use-admitted";
import { useBroker } from "@/broker/use-broker";
import { createPerson } from "@/identity/create-person";
import { declineName } from "@/identity/require-person";
import { Button } from "@/ui/button";
import {
  Dialog,
  DialogContent,
  DialogDescription,
  DialogFooter,
  DialogHeader,
  DialogTitle,
} from "@/ui/dialog";
import { Input } from "@/ui/input";

/** Asks for the person's name once, before the first write. For a member, the member's name is used instead. */
export function PersonDialog() {
  const broker = useBroker();
  const as = useAdmitted()?.as;
  const memberName = as?.kind === "member" ? as.name : null;
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const [isTaking, setTaking] = useState(memberName !== null);

  useEffect(() => {
    if (memberName === null) return;
    createPerson(broker, memberName).catch((error: unknown) => {
      setProblem(toProblem(error).detail);
      setTaking(false);
    });
  }, [broker, memberName]);

  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const name = String(new FormData(event.currentTarget).get("name") ?? "").trim();
    setIsBusy(true);
    try {
      await createPerson(broker, name);
    } catch (error) {
      setProblem(toProblem(error).detail);
      setIsBusy(false);
    }
  }

  if (isTaking) return null;
  return (
    <Dialog open onOpenChange={(open) => !open && declineName()}>
      <DialogContent className="sm:max-w-md">
        <form onSubmit={(event) => void submit(event)} className="grid gap-4">
          <DialogHeader>
            <DialogTitle>What should others call you?</DialogTitle>
            <DialogDescription>
              Shown next to your messages. Saved in this browser. Continue finishes what you just did.
            </DialogDescription>
          </DialogHeader>
          <div className="grid gap-1">
            <label htmlFor="person-name" className="font-medium">
              Your name
            </label>
            <Input
              id="person-name"
              name="name"
              required
              dir="auto"
              maxLength={limits.nameCharsMax}
              autoComplete="nickname"
              defaultValue={memberName ?? ""}
              aria-invalid={problem !== null}
              aria-describedby="person-problem"
            />
            <p id="person-problem" role="alert" className="text-sm text-danger">
              {problem}
            </p>
          </div>
          <DialogFooter>
            <Button type="button" variant="outline" onClick={declineName}>
              Not now
            </Button>
            <Button type="submit" disabled={isBusy}>
              Continue
            </Button>
          </DialogFooter>
        </form>
      </DialogContent>
    </Dialog>
  );
}
