"use client";

import { type AlertTarget, kindLabels } from "@merkle/wire";
import { useState } from "react";
import { useAction } from "@/broker/use-action";
import { useCall } from "@/broker/use-call";
import { RefusalNote } from "@/components/refusal-note";
import { ListRow } from "@/components/row-list";
import { TimeText } from "@/components/time-text";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { EndButton } from "@/views/people/end-button";
import { kindNames } from "./alert-kinds";

interface AlertRowProps {
  readonly target: AlertTarget;
  readonly onChange: () => void;
  readonly onDone: () => void;
}

/** An alert destination: its reasons, its state and the result of a test. */
export function AlertRow({ target, onChange, onDone }: AlertRowProps) {
  const call = useCall();
  const { run, isPending, refusal } = useAction();
  const [answer, setAnswer] = useState<string | null>(null);
  const { target_id, kind, name } = target;

  async function test(): Promise<void> {
    setAnswer(null);
    await run(async (signal) => {
      const outcome = await call("test_alert", { target_id }, { signal });
      setAnswer(
        outcome.arrived ? `Test delivered. ${outcome.answer}` : `Test not delivered. ${outcome.answer}`,
      );
      onDone();
    });
  }

  return (
    <ListRow
      title={
        <>
          <Badge>{kindNames[kind]}</Badge>
          <bdi className="font-medium">{name}</bdi>
          {target.host !== null && <span className="text-muted-foreground">{target.host}</span>}
        </>
      }
      facts={
        <>
          <AlertFacts target={target} />
          <span role="status" className="block text-foreground empty:hidden">
            {answer}
          </span>
          <RefusalNote refusal={refusal} />
        </>
      }
      action={
        <span className="flex flex-wrap gap-2">
          <Button
            variant="outline"
            size="sm"
            aria-label={`Test ${name}`}
            disabled={isPending}
            onClick={() => void test()}
          >
            {isPending ? "Testing…" : "Test"}
          </Button>
          <Button variant="outline" size="sm" aria-label={`Edit ${name}`} onClick={onChange}>
            Edit…
          </Button>
          <EndButton
            submitLabel="Remove"
            label={`Remove ${name}`}
            title={
              <>
                Remove <bdi>{name}</bdi>?
              </>
            }
            consequence="It gets no more notifications, and its address is deleted."
            onEnd={(signal) => call("delete_alert_target", { target_id }, { signal })}
            onDone={onDone}
          />
        </span>
      }
    />
  );
}

function AlertFacts({ target }: { readonly target: AlertTarget }) {
  const { about, quiet, last_sent_at, waiting, given_up, problem, ended } = target;
  const labels = { ...kindLabels, concluded: "Concluded" };
  return (
    <>
      {about.map((each) => labels[each]).join(", ")}
      {quiet && ` · quiet ${quiet.from} to ${quiet.to}, ${quiet.time_zone}`}
      {last_sent_at !== null && (
        <>
          {" "}
          · last sent <TimeText at={last_sent_at} />
        </>
      )}
      {waiting > 0 && ` · ${waiting} queued`}
      {given_up > 0 && ` · ${given_up} failed`}
      {problem !== null && (
        <span className="block text-danger">
          {ended ? "No longer exists, sending stopped: " : "Failing: "}
          {problem}
        </span>
      )}
    </>
  );
}
