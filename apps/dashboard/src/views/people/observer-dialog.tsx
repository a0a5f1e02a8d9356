"use client";

import { limits } from "@merkle/wire/limits";
import { useState } from "react";
import { useBroker } from "@/broker/use-broker";
import { DateText } from "@/components/date-text";
import { Snippet } from "@/components/snippet";
import { Field, FieldLabel } from "@/ui/field";
import { Input } from "@/ui/input";
import { LifetimeField } from "./lifetime-field";
import { CreateDialog } from "./make-dialog";

export interface ObserverDialogProps {
  readonly session: { readonly session_id: string; readonly title: string };
  readonly onClose: () => void;
}

/** Creates a link with which people who are not members can read one session. */
export function ObserverDialog({ session, onClose }: ObserverDialogProps) {
  const broker = useBroker();
  const [label, setLabel] = useState("");
  const [seconds, setSeconds] = useState<number>(limits.observerSeconds);
  return (
    <CreateDialog
      title="Share a view-only link"
      description={
        <>
          Anyone with the link can read “<bdi>{session.title}</bdi>” live, but no other session, and does not
          become a member. The link stops working when this browser is signed out.
        </>
      }
      submit="Create link"
      onMake={(signal) => {
        const trimmedLabel = label.trim();
        const input = {
          session_id: session.session_id,
          expires_in_s: seconds,
          ...(trimmedLabel !== "" && { label: trimmedLabel }),
        };
        return broker.call("create_observer_link", input, { signal });
      }}
      onMade={() => undefined}
      onClose={onClose}
      toResult={({ link, expires_at }) => ({
        title: "View-only link",
        body: (
          <div className="grid min-w-0 gap-3">
            <Snippet label="Link" text={link} />
            <p className="text-sm text-muted-foreground">
              Valid until <DateText at={expires_at} />. Revoke it under Settings, Tokens and browsers.
            </p>
          </div>
        ),
      })}
    >
      <Field>
        <FieldLabel>Label</FieldLabel>
        <Input
          dir="auto"
          maxLength={limits.nameCharsMax}
          autoComplete="off"
          placeholder="optional, such as: for Ana"
          value={label}
          onChange={(event) => setLabel(event.target.value)}
        />
      </Field>
      <LifetimeField seconds={seconds} secondsMax={limits.tokenSecondsMax} onChange={setSeconds} />
    </CreateDialog>
  );
}
