"use client";

import type { InputOf, OutputOf } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { isLoopbackAddress } from "@merkle/wire/text";
import { useId, useState } from "react";
import { useAppInfo } from "@/broker/use-app-info";
import { useBroker } from "@/broker/use-broker";
import { useRead } from "@/broker/use-read";
import { DateText } from "@/components/date-text";
import { Snippet } from "@/components/snippet";
import { Checkbox } from "@/ui/checkbox";
import { Field, FieldDescription, FieldLabel } from "@/ui/field";
import { Input } from "@/ui/input";
import { Select } from "@/ui/select";
import { LifetimeField } from "./lifetime-field";
import { CreateDialog } from "./make-dialog";
import { useIsAdmin } from "./use-is-admin";

type Role = OutputOf<"create_invite">["role"];

export interface InviteDialogProps {
  /** The session that is selected initially. Without a session, the invite is for the whole mesh. */
  readonly session?: { readonly session_id: string; readonly title: string };
  readonly onMade: () => void;
  readonly onClose: () => void;
}

/** Creates an invite and shows its link. */
export function InviteDialog({ session, onMade, onClose }: InviteDialogProps) {
  const broker = useBroker();
  const isAdmin = useIsAdmin();
  const codeId = useId();
  const [sessionId, setSessionId] = useState(session?.session_id ?? "");
  const [role, setRole] = useState<Role>("member");
  const [uses, setUses] = useState("1");
  const [seconds, setSeconds] = useState<number>(limits.inviteSeconds);
  const [hasCode, setHasCode] = useState(false);

  const input: InputOf<"create_invite"> = {
    role,
    uses: Number(uses),
    expires_in_s: seconds,
    code: hasCode,
    ...(sessionId !== "" && { session_id: sessionId }),
  };
  return (
    <CreateDialog
      title="Invite people"
      description="Anyone with this link can join. Share it privately."
      submit="Create invite"
      onMake={(signal) => broker.call("create_invite", input, { signal })}
      onMade={onMade}
      onClose={onClose}
      toResult={(invite) => ({ title: "Invite created", body: <MadeInvite made={invite} /> })}
    >
      <AddressWarning />
      <SessionField preselected={session} value={sessionId} onChange={setSessionId} />
      <div className="grid gap-4 sm:grid-cols-3">
        <LifetimeField seconds={seconds} secondsMax={limits.inviteSecondsMax} onChange={setSeconds} />
        <Field>
          <FieldLabel>Number of uses</FieldLabel>
          <Input
            type="number"
            required
            min={1}
            max={limits.inviteUsesMax}
            step={1}
            className="tabular-nums"
            value={uses}
            onChange={(event) => setUses(event.target.value)}
          />
        </Field>
        {isAdmin && (
          <Field>
            <FieldLabel>Role</FieldLabel>
            <Select
              className="w-full"
              value={role}
              onChange={setRole}
              options={[
                ["member", "Member"],
                ["admin", "Admin"],
              ]}
            />
          </Field>
        )}
      </div>
      <div className="grid grid-cols-[auto_1fr] gap-x-2">
        <Checkbox
          id={codeId}
          checked={hasCode}
          className="mt-0.5"
          onChange={(event) => setHasCode(event.target.checked)}
        />
        <label htmlFor={codeId}>
          Add a spoken code
          <span className="block text-sm text-muted-foreground">
            Valid for 10 minutes and up to 5 wrong tries.
          </span>
        </label>
      </div>
    </CreateDialog>
  );
}

/** Warns before the invite is created if its link will work only on the broker's machine. */
function AddressWarning() {
  const { data: info } = useAppInfo();
  if (!info || !isLoopbackAddress(info.base_url)) return null;
  return (
    <p role="alert" className="rounded-lg border border-warning/40 px-3 py-2 text-sm">
      The link will work only on the machine that runs the broker. For people on other machines, first start
      the broker with an address that they can reach:{" "}
      <span className="font-mono">merkle up --public-url https://mesh.example.com</span>
    </p>
  );
}

interface SessionFieldProps {
  readonly preselected: InviteDialogProps["session"];
  readonly value: string;
  readonly onChange: (sessionId: string) => void;
}

const sessionsMax = 100;

/** Selects the page that the invite opens. In either case people become members of the whole mesh, as the dialog explains. */
function SessionField({ preselected, value, onChange }: SessionFieldProps) {
  const { data } = useRead("list_sessions", { status: "active", limit: sessionsMax }, { on: ["sessions"] });
  const otherSessions = (data?.sessions ?? []).filter(
    ({ session_id }) => session_id !== preselected?.session_id,
  );
  return (
    <Field>
      <FieldLabel>Opens</FieldLabel>
      <Select
        className="w-full"
        value={value}
        onChange={onChange}
        options={[
          ...(preselected ? [[preselected.session_id, preselected.title] as const] : []),
          ["", "Session list"],
          ...otherSessions.map(({ session_id, title }) => [session_id, title] as const),
        ]}
      />
      <FieldDescription>
        People who join become members of the whole mesh and can see its other sessions.
      </FieldDescription>
    </Field>
  );
}

function MadeInvite({ made }: { readonly made: OutputOf<"create_invite"> }) {
  const { link, code, code_expires_at, uses_left, expires_at, session } = made;
  return (
    <div className="grid min-w-0 gap-4">
      <Snippet label="Link" text={link} />
      {code !== null && code_expires_at !== null && (
        <div className="grid gap-1">
          <Snippet label="Spoken code" text={code} />
          <p className="text-sm text-muted-foreground">
            Use it with <span className="font-mono">merkle join</span> or on the join page until{" "}
            <DateText at={code_expires_at} />.
          </p>
        </div>
      )}
      <p className="text-sm text-muted-foreground">
        {session ? (
          <>
            To <bdi>{session.title}</bdi>, for
          </>
        ) : (
          "For"
        )}{" "}
        {uses_left} {uses_left === 1 ? "use" : "uses"}, until <DateText at={expires_at} />.
      </p>
    </div>
  );
}
