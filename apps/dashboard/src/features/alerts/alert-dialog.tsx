"use client";

import { type AlertKind, type AlertTarget, type AlertTo, alertReasons } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { useState } from "react";
import { useCall } from "@/broker/use-call";
import { FormDialog } from "@/components/form-dialog";
import { Button } from "@/ui/button";
import { Field, FieldDescription, FieldError, FieldLabel } from "@/ui/field";
import { Input } from "@/ui/input";
import { Select } from "@/ui/select";
import { type AddressKind, addressHints, addressKinds, kindNames } from "./alert-kinds";
import { PushRefused, subscribeToPush } from "./subscribe-to-push";

export interface AlertDialogProps {
  /** The destination to edit. `place` adds an address, and `browser` adds this browser. */
  readonly target: AlertTarget | "place" | "browser";
  /** The broker's public key, which this browser needs to subscribe to push messages. */
  readonly pushKey: string;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** A dialog for the address, reasons and quiet hours of an alert destination. */
export function AlertDialog({ target, pushKey, onDone, onClose }: AlertDialogProps) {
  const call = useCall();
  const existing = typeof target === "string" ? null : target;
  const isPush = target === "browser" || existing?.kind === "push";
  const [kind, setKind] = useState<AddressKind>(
    existing && existing.kind !== "push" ? existing.kind : "ntfy",
  );
  const [name, setName] = useState(existing?.name ?? (isPush ? "This browser" : ""));
  const [url, setUrl] = useState("");
  const [secret, setSecret] = useState("");
  const [about, setAbout] = useState<readonly AlertKind[]>(existing?.about ?? ["ask", "blocked"]);
  const [quiet, setQuiet] = useState(existing?.quiet ?? null);
  const [problem, setProblem] = useState("");
  const hasAddress = isPush || url !== "";

  async function subscribe() {
    setProblem("");
    return subscribeToPush(pushKey).catch((error: unknown) => {
      if (!(error instanceof PushRefused)) throw error;
      setProblem(error.message);
      // The form shows this message itself, because the refusal came from the browser, not from the broker.
      throw new DOMException(error.message, "AbortError");
    });
  }

  async function save(signal: AbortSignal): Promise<void> {
    const to = target === "browser" ? await subscribe() : toAddress(kind, url, secret);
    const fields = { name, about: [...about], quiet, ...(to && { to }) };
    await call("put_alert_target", existing ? { target_id: existing.target_id, ...fields } : fields, {
      signal,
    });
  }

  return (
    <FormDialog
      title={
        existing
          ? `Edit ${kindNames[existing.kind]}`
          : isPush
            ? "Enable push in this browser"
            : "Add a destination"
      }
      description={
        isPush
          ? "Notifies you even with all pages closed, encrypted for this browser only. The browser asks for permission first."
          : "The address and its secret are stored encrypted and never shown again."
      }
      submit="Save"
      submitting="Saving…"
      isReady={name.trim() !== "" && about.length > 0 && (existing !== null || hasAddress)}
      onSubmit={save}
      onDone={onDone}
      onClose={onClose}
    >
      <div className="grid -m-1 max-h-[60dvh] gap-4 overflow-y-auto p-1">
        {!isPush && (
          <AddressFields
            {...{ kind, url, secret, isNew: existing === null }}
            onKind={setKind}
            onUrl={setUrl}
            onSecret={setSecret}
          />
        )}
        <Field>
          <FieldLabel>Name</FieldLabel>
          <Input
            dir="auto"
            required
            maxLength={limits.nameCharsMax}
            autoComplete="off"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
        <Reasons chosen={about} onChange={setAbout} />
        <QuietHours quiet={quiet} onChange={setQuiet} />
        <FieldError>{problem}</FieldError>
      </div>
    </FormDialog>
  );
}

/** Returns undefined if no address was typed, which keeps the stored address. */
function toAddress(kind: AddressKind, url: string, secret: string): AlertTo | undefined {
  if (url === "") return undefined;
  if (kind === "webhook") return { kind, url, secret };
  if (kind === "ntfy") return { kind, url, ...(secret !== "" && { token: secret }) };
  return { kind, url };
}

interface AddressFieldsProps {
  readonly kind: AddressKind;
  readonly url: string;
  readonly secret: string;
  readonly isNew: boolean;
  readonly onKind: (kind: AddressKind) => void;
  readonly onUrl: (url: string) => void;
  readonly onSecret: (secret: string) => void;
}

function AddressFields({ kind, url, secret, isNew, onKind, onUrl, onSecret }: AddressFieldsProps) {
  const { placeholder, about } = addressHints[kind];
  const isWebhook = kind === "webhook";
  return (
    <>
      {isNew && (
        <Field className="justify-items-start">
          <FieldLabel>Type</FieldLabel>
          <Select
            value={kind}
            onChange={onKind}
            options={addressKinds.map((each) => [each, kindNames[each]])}
          />
        </Field>
      )}
      <Field>
        <FieldLabel>Address</FieldLabel>
        <Input
          type="url"
          required={isNew}
          maxLength={limits.urlCharsMax}
          autoComplete="off"
          placeholder={isNew ? placeholder : "Leave empty to keep the current address"}
          value={url}
          onChange={(event) => onUrl(event.target.value)}
        />
        <FieldDescription>{about}</FieldDescription>
      </Field>
      {(isWebhook || kind === "ntfy") && url !== "" && (
        <div className="grid gap-1">
          <Field>
            <FieldLabel>{isWebhook ? "Secret" : "Access token, if the topic needs one"}</FieldLabel>
            <Input
              required={isWebhook}
              maxLength={limits.alertSecretCharsMax}
              autoComplete="off"
              className="font-mono"
              placeholder={isWebhook ? "whsec_…" : "tk_…"}
              value={secret}
              onChange={(event) => onSecret(event.target.value)}
            />
          </Field>
          {isWebhook && (
            <p className="flex flex-wrap items-center gap-2 text-sm text-muted-foreground">
              <Button type="button" variant="outline" size="sm" onClick={() => onSecret(drawSecret())}>
                Generate
              </Button>
              Copy it to the receiver now, which needs it to check signatures.
            </p>
          )}
        </div>
      )}
    </>
  );
}

function drawSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return `whsec_${btoa(String.fromCharCode(...bytes))}`;
}

function Reasons({
  chosen,
  onChange,
}: {
  readonly chosen: readonly AlertKind[];
  readonly onChange: (chosen: readonly AlertKind[]) => void;
}) {
  return (
    <fieldset className="grid gap-1">
      <legend className="mb-1 text-sm font-medium">Notify me about</legend>
      {Object.entries(alertReasons).map(([key, label]) => {
        // The table's keys are exactly the values of AlertKind.
        const kind = key as AlertKind;
        return (
          <label key={kind} className="flex min-h-6 items-center gap-2 pointer-coarse:min-h-11">
            <input
              type="checkbox"
              className="size-4 accent-primary"
              checked={chosen.includes(kind)}
              onChange={({ target }) =>
                onChange(target.checked ? [...chosen, kind] : chosen.filter((each) => each !== kind))
              }
            />
            {label}
          </label>
        );
      })}
    </fieldset>
  );
}

interface QuietHoursProps {
  readonly quiet: AlertTarget["quiet"];
  readonly onChange: (quiet: AlertTarget["quiet"]) => void;
}

function QuietHours({ quiet, onChange }: QuietHoursProps) {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return (
    <fieldset className="grid gap-2">
      <legend className="sr-only">Quiet hours</legend>
      <label className="flex min-h-6 items-center gap-2 pointer-coarse:min-h-11">
        <input
          type="checkbox"
          className="size-4 accent-primary"
          checked={quiet !== null}
          onChange={({ target }) =>
            onChange(target.checked ? { from: "22:00", to: "07:00", time_zone: timeZone } : null)
          }
        />
        Quiet hours: notifications are held until they end
      </label>
      {quiet && (
        <div className="flex flex-wrap items-end gap-3">
          {(["from", "to"] as const).map((end) => (
            <Field key={end}>
              <FieldLabel>{end === "from" ? "From" : "Until"}</FieldLabel>
              <Input
                type="time"
                required
                className="w-32 tabular-nums"
                value={quiet[end]}
                onChange={(event) => onChange({ ...quiet, [end]: event.target.value })}
              />
            </Field>
          ))}
          <p className="py-1.5 text-sm text-muted-foreground">{quiet.time_zone}</p>
        </div>
      )}
    </fieldset>
  );
}
