"use client";

import { type FormEvent, type ReactNode, useState } from "react";
import { useAction } from "@/broker/use-action";
import { RefusalNote } from "@/components/refusal-note";
import { Button } from "@/ui/button";
import {
  Dialog,
  DialogContent,
  DialogDescription,
  DialogFooter,
  DialogHeader,
  DialogTitle,
} from "@/ui/dialog";

interface MakeDialogProps<Made> {
  readonly title: string;
  readonly description: ReactNode;
  /** The label of the button that makes it. */
  readonly submit: string;
  readonly isReady?: boolean;
  readonly onMake: (signal: AbortSignal) => Promise<Made>;
  /** Something was made: lists read differently now. */
  readonly onMade: () => void;
  readonly onClose: () => void;
  /** The fields that are to be filled in. */
  readonly children?: ReactNode;
  /** The title and body that show the thing that was made, once. */
  readonly made: (made: Made) => { readonly title: string; readonly body: ReactNode };
}

/** A dialog that makes something secret, and then shows it: once, for the broker keeps no copy. */
export function MakeDialog<Made>(props: MakeDialogProps<Made>) {
  const { run, pending, refusal } = useAction();
  const [made, setMade] = useState<{ readonly value: Made } | null>(null);

  async function make(event: FormEvent): Promise<void> {
    event.preventDefault();
    await run(async (signal) => {
      setMade({ value: await props.onMake(signal) });
      props.onMade();
    });
  }

  if (made !== null) return <MadeOnce {...props.made(made.value)} onClose={props.onClose} />;
  return (
    <Dialog open onOpenChange={(open) => !open && props.onClose()}>
      <DialogContent>
        <form className="grid min-w-0 gap-4" onSubmit={(event) => void make(event)}>
          <DialogHeader>
            <DialogTitle>{props.title}</DialogTitle>
            <DialogDescription>{props.description}</DialogDescription>
          </DialogHeader>
          {props.children}
          <RefusalNote refusal={refusal} />
          <DialogFooter>
            <Button type="button" variant="outline" onClick={props.onClose}>
              Cancel
            </Button>
            <Button type="submit" disabled={pending || props.isReady === false}>
              {pending ? "One moment…" : props.submit}
            </Button>
          </DialogFooter>
        </form>
      </DialogContent>
    </Dialog>
  );
}

interface MadeOnceProps {
  readonly title: string;
  readonly body: ReactNode;
  readonly onClose: () => void;
}

/** Closes by its button alone: a press beside it would lose what is shown once. */
function MadeOnce({ title, body, onClose }: MadeOnceProps) {
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent onClick={() => undefined} showCloseButton={false}>
        <DialogHeader>
          <DialogTitle>{title}</DialogTitle>
          <DialogDescription>Shown only once: the broker keeps no copy.</DialogDescription>
        </DialogHeader>
        {body}
        <DialogFooter>
          <Button onClick={onClose}>Done</Button>
        </DialogFooter>
      </DialogContent>
    </Dialog>
  );
}
