"use client";

import type { InputOf, OutputOf } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { type FormEvent, useState } from "react";
import { useAction } from "@/broker/use-action";
import { useBroker } from "@/broker/use-broker";
import { useRead } from "@/broker/use-read";
import { RefusalNote } from "@/components/refusal-note";
import { Button } from "@/ui/button";
import { Field, FieldLabel } from "@/ui/field";
import { Input } from "@/ui/input";
import { Select } from "@/ui/select";

export type ClientRequest = InputOf<"preview_client">;

interface ClientFormProps {
  readonly client: OutputOf<"preview_client">;
  readonly request: ClientRequest;
}

/** Shows the client and its redirect address. The member chooses the session and the name for the client. */
export function ClientForm({ client, request }: ClientFormProps) {
  const broker = useBroker();
  const { data } = useRead(
    "list_sessions",
    { status: "active", limit: limits.sessionsPageMax },
    { on: ["sessions"] },
  );
  const { run, isPending, refusal } = useAction();
  const [chosenSessionId, setChosenSessionId] = useState<string | null>(null);
  const [name, setName] = useState(client.name);
  const sessions = data?.sessions ?? [];
  const session = chosenSessionId ?? sessions[0]?.session_id ?? "";

  async function approve(event: FormEvent): Promise<void> {
    event.preventDefault();
    await run(async (signal) => {
      const input = { ...request, session_id: session, team_name: name.trim() };
      const { redirect_to } = await broker.call("approve_client", input, { signal });
      window.location.assign(redirect_to);
    });
  }

  return (
    <form className="grid min-w-0 gap-5" onSubmit={(event) => void approve(event)}>
      <div className="grid gap-2">
        <p className="text-title font-semibold break-words">
          Authorise the client “<bdi>{client.name}</bdi>”?
        </p>
        <p>
          The authorisation goes to{" "}
          <strong className="font-mono break-all" data-testid="redirect-host">
            {client.redirect_host}
          </strong>
          . It will take part as one of your teams. Its name is not verified. Continue only if you started
          this there yourself just now.
        </p>
      </div>
      <Field>
        <FieldLabel>Session</FieldLabel>
        <Select
          className="w-full"
          required
          value={session}
          onChange={setChosenSessionId}
          options={sessions.map(({ session_id, title }) => [session_id, title])}
        />
      </Field>
      <Field>
        <FieldLabel>Team</FieldLabel>
        <Input
          dir="auto"
          required
          maxLength={limits.nameCharsMax}
          autoComplete="off"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </Field>
      <p className="text-sm text-muted-foreground">
        It can read and write in that session as an agent’s team, for at most 30 days. It has no access to
        other sessions or memory, and can’t do what takes a human. Revoke it under Settings, Tokens and
        browsers. Access also ends when this browser is signed out.
      </p>
      {data && sessions.length === 0 && <p role="status">There is no open session to join.</p>}
      <RefusalNote refusal={refusal} />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" disabled={isPending || session === "" || name.trim() === ""}>
          {isPending ? "One moment…" : "Authorise"}
        </Button>
        <Button type="button" variant="outline" onClick={() => window.location.assign(client.refuse_to)}>
          Deny
        </Button>
      </div>
    </form>
  );
}
