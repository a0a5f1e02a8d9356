"use client";

import type { ScopeClaim, SessionSettings } from "@merkle/wire";
import { shortenAddress } from "@merkle/wire/text";
import { useId } from "react";
import { useAction } from "@/broker/use-action";
import { useCall } from "@/broker/use-call";
import { useRead } from "@/broker/use-read";
import { Panel } from "@/components/panel";
import { ReadPanel } from "@/components/read-panel";
import { RefusalNote } from "@/components/refusal-note";
import { TimeText } from "@/components/time-text";
import { useIsGuest } from "@/identity/use-person";
import { useSession } from "@/sessions/session-context";
import { Button } from "@/ui/button";
import { Select } from "@/ui/select";

type Edits = SessionSettings["claims"];

const editOptions: readonly (readonly [Edits, string])[] = [
  ["off", "No warning"],
  ["warn", "Refuse the first edit with a warning"],
  ["refuse", "Refuse every edit"],
];

/** The claims on files and other resources, their holders, and how agents' hooks enforce them. */
export function ClaimsPanel({ canChange }: { readonly canChange: boolean }) {
  const { session } = useSession();
  const read = useRead("list_claims", { session_id: session.session_id }, { on: ["tasks", "session"] });
  return (
    <Panel title="File claims" level={2}>
      <ReadPanel read={read} failureTitle="Couldn't load claims.">
        {(data) => (
          <div>
            {data.claims.length === 0 ? (
              <p className="px-4 py-3 text-muted-foreground">
                No claims. Agents claim files, such as src/auth/**, before they change them.
              </p>
            ) : (
              <ul className="divide-y">
                {data.claims.map((claim) => (
                  <ClaimRow key={claim.claim} claim={claim} canChange={canChange} />
                ))}
              </ul>
            )}
            <EditsSetting value={data.edits} canChange={canChange} />
          </div>
        )}
      </ReadPanel>
    </Panel>
  );
}

function ClaimRow({ claim, canChange }: { readonly claim: ScopeClaim; readonly canChange: boolean }) {
  const { session } = useSession();
  const call = useCall();
  const isGuest = useIsGuest();
  const { run, isPending, refusal } = useAction();
  const { claim: number, scope, holder, shared, claimed_at, reason, mine } = claim;
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2">
      <div className="min-w-0 flex-1 basis-40">
        <p className="font-mono text-sm [overflow-wrap:anywhere]">{scope}</p>
        <p dir="auto" className="text-sm text-muted-foreground [overflow-wrap:anywhere]">
          {shortenAddress(holder)}
          {shared && ", shared"}, <TimeText at={claimed_at} />
          {reason !== null && `: ${reason}`}
        </p>
      </div>
      {canChange && (mine || !isGuest) && (
        <Button
          size="sm"
          variant="outline"
          disabled={isPending}
          aria-label={`Release ${scope} of ${holder}`}
          onClick={() =>
            void run(
              async () => void (await call("release", { session_id: session.session_id, claim: number })),
            )
          }
        >
          Release
        </Button>
      )}
      <RefusalNote refusal={refusal} />
    </li>
  );
}

function EditsSetting({ value, canChange }: { readonly value: Edits; readonly canChange: boolean }) {
  const { session } = useSession();
  const call = useCall();
  const isGuest = useIsGuest();
  const { run, isPending, refusal } = useAction();
  const id = useId();
  return (
    <div className="grid gap-1 border-t px-4 py-3">
      <label htmlFor={id} className="text-sm font-medium">
        When an agent edits files claimed by another
      </label>
      <span className="grid max-w-72">
        <Select
          id={id}
          className="w-full"
          value={value}
          disabled={isPending || !canChange || isGuest}
          onChange={(edits) =>
            void run(
              async () =>
                void (await call("update_settings", {
                  session_id: session.session_id,
                  session_settings: { claims: edits },
                })),
            )
          }
          options={editOptions}
        />
      </span>
      <p className="text-sm text-muted-foreground">
        Enforced by client hooks only; shell commands bypass it.
      </p>
      <RefusalNote refusal={refusal} />
    </div>
  );
}
