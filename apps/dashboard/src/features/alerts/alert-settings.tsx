"use client";

import { useState } from "react";
import { useRead } from "@/broker/use-read";
import { ReadPanel } from "@/components/read-panel";
import { RowList } from "@/components/row-list";
import { usePerson } from "@/identity/use-person";
import { Button } from "@/ui/button";
import { AlertDialog, type AlertDialogProps } from "./alert-dialog";
import { AlertRow } from "./alert-row";
import { canReceivePush } from "./subscribe-to-push";

/** The alert destinations of the person using this browser, and the state of each. */
export function AlertSettings() {
  const { person, requirePerson } = usePerson();
  const read = useRead("list_alert_targets", person ? {} : null, { on: ["person"] });
  const [dialogTarget, setDialogTarget] = useState<AlertDialogProps["target"] | null>(null);
  if (person === null) {
    return (
      <div className="grid justify-items-start gap-2">
        <p>Add your name to set up notifications.</p>
        <Button variant="outline" onClick={() => void requirePerson().catch(() => undefined)}>
          Add your name…
        </Button>
      </div>
    );
  }
  return (
    <ReadPanel read={read} failureTitle="Couldn't load your destinations.">
      {({ targets, push_key }) => (
        <>
          <div className="flex flex-wrap gap-2">
            <Button disabled={!canReceivePush()} onClick={() => setDialogTarget("browser")}>
              Enable push in this browser…
            </Button>
            <Button variant="outline" onClick={() => setDialogTarget("place")}>
              Add a destination…
            </Button>
          </div>
          {!canReceivePush() && (
            <p className="text-sm text-muted-foreground">
              Push to closed pages works only over https or on the broker’s own machine. On an iPhone, first
              add this page to the home screen.
            </p>
          )}
          {targets.length === 0 ? (
            <p className="text-muted-foreground">
              No destinations yet. You're only notified while Merkle is open.
            </p>
          ) : (
            <RowList label="Destinations">
              {targets.map((target) => (
                <AlertRow
                  key={target.target_id}
                  target={target}
                  onChange={() => setDialogTarget(target)}
                  onDone={read.refresh}
                />
              ))}
            </RowList>
          )}
          {dialogTarget !== null && (
            <AlertDialog
              target={dialogTarget}
              pushKey={push_key}
              onDone={read.refresh}
              onClose={() => setDialogTarget(null)}
            />
          )}
        </>
      )}
    </ReadPanel>
  );
}
