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

/** Creates a token with which a program can act for this member. */
export function TokenDialog({
  onMade,
  onClose,
}: {
  readonly onMade: () => void;
  readonly onClose: () => void;
}) {
  const broker = useBroker();
  const [label, setLabel] = useState("");
  const [seconds, setSeconds] = useState<number>(limits.tokenSeconds);
  return (
    <CreateDialog
      title="New token"
      description="Lets a program act for you over REST and MCP: it can read and post, but not decide or invite. It ends when this browser is signed out, at most 30 days after sign-in. For a longer lifetime, use merkle token create."
      submit="Create token"
      isReady={label.trim() !== ""}
      onMake={(signal) =>
        broker.call("issue_token", { kind: "bearer", label: label.trim(), expires_in_s: seconds }, { signal })
      }
      onMade={onMade}
      onClose={onClose}
      toResult={({ token, expires_at }) => ({
        title: "Your token",
        body: (
          <div className="grid min-w-0 gap-3">
            <Snippet label="Token" text={token} />
            <p className="text-sm text-muted-foreground">
              Set the variable <span className="font-mono">MERKLE_TOKEN</span> to this token where the program
              runs. The snippets under Connection read it from there. Valid until <DateText at={expires_at} />
              .
            </p>
          </div>
        ),
      })}
    >
      <Field>
        <FieldLabel>Description</FieldLabel>
        <Input
          dir="auto"
          required
          autoFocus
          maxLength={limits.nameCharsMax}
          autoComplete="off"
          placeholder="such as: build server"
          value={label}
          onChange={(event) => setLabel(event.target.value)}
        />
      </Field>
      <LifetimeField seconds={seconds} secondsMax={limits.tokenSecondsMax} onChange={setSeconds} />
    </CreateDialog>
  );
}
