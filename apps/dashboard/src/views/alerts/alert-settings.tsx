"use client";

import { useState } from "react";
import { useRead } from "@/broker/use-read";
import { ReadPanel } from "@/components/read-panel";
import { RowList } from "@/components/row-list";
import { usePerson } from "@/identity/use-person";
import { Button } from "@/ui/button";
import { AlertDialog, type AlertDialogProps } from "./alert-dialog";
import { AlertRow } from "./alert-row";
import { canBePushedTo } from "./subscribe-to-push";

/** Where the person of this browser is told of what waits, and how each of these places does. */
export function AlertSettings() {
  const { person, requirePerson } = usePerson();
  const read = useRead("list_alert_targets", person ? {} : null, { on: ["person"] });
  const [asked, setAsked] = useState<AlertDialogProps["target"] | null>(null);
  if (person === null) {
    return (
      <div className="grid justify-items-start gap-2">
        <p>These are yours, so say first who you are.</p>
        <Button variant="outline" onClick={() => void requirePerson().catch(() => undefined)}>
          Say my name…
        </Button>
      </div>
    );
  }
  return (
    <ReadPanel read={read} failed="Where you are told could not be read.">
      {({ targets, push_key }) => (
        <>
          <div className="flex flex-wrap gap-2">
            <Button disabled={!canBePushedTo()} onClick={() => setAsked("browser")}>
              Tell this browser…
            </Button>
            <Button variant="outline" onClick={() => setAsked("place")}>
              Tell another place…
            </Button>
          </div>
          {!canBePushedTo() && (
            <p className="text-sm text-muted-foreground">
              Browsers are told with their pages closed over https alone, or on the broker’s own machine; on
              an iPhone once this page is added to the home screen.
            </p>
          )}
          {targets.length === 0 ? (
            <p className="text-muted-foreground">You are told nowhere but in open pages.</p>
          ) : (
            <RowList label="Where you are told">
              {targets.map((target) => (
                <AlertRow
                  key={target.target_id}
                  target={target}
                  onChange={() => setAsked(target)}
                  onDone={read.refresh}
                />
              ))}
            </RowList>
          )}
          {asked !== null && (
            <AlertDialog
              target={asked}
              pushKey={push_key}
              onDone={read.refresh}
              onClose={() => setAsked(null)}
            />
          )}
        </>
      )}
    </ReadPanel>
  );
}
