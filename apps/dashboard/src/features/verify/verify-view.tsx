"use client";

import { CircleCheck, LoaderCircle } from "lucide-react";
import { Suspense, useEffect, useState } from "react";
import { PageBody } from "@/components/page-body";
import { PageHeader } from "@/components/page-header";
import { PageSkeleton } from "@/components/page-skeleton";
import { PanelBoundary } from "@/components/panel-boundary";
import { useQueryParam } from "@/core/address/use-query-param";
import { Alert, AlertDescription, AlertTitle } from "@/ui/alert";
import { Button } from "@/ui/button";
import { Field, FieldDescription, FieldLabel } from "@/ui/field";
import { Segmented } from "@/ui/segmented";
import { Textarea } from "@/ui/textarea";
import { BundleDrop } from "./bundle-drop";
import { readBrokerKeys } from "./check/broker-keys";
import { storeCheckedHead } from "./check/remember-check";
import { getSeenHeads } from "./check/seen-heads";
import type { Checkable } from "./check/verify-protocol";
import { CheckOutcome } from "./check-outcome";
import { useVerifier } from "./use-verifier";

/** Checks an export or a proof in this browser. Nothing is uploaded. */
export function VerifyView() {
  return (
    <Suspense fallback={<PageSkeleton title="Verify" />}>
      <PageHeader crumbs={[{ label: "Verify" }]} />
      <PageBody isNarrow>
        <h1 className="text-title font-semibold">Verify a record</h1>
        <PanelBoundary title="Verifier">
          <Checker />
        </PanelBoundary>
      </PageBody>
    </Suspense>
  );
}

function Checker() {
  const [kindParam, setKindParam] = useQueryParam("what");
  const { state, check, run, reset } = useVerifier();
  const brokerKeys = useBrokerKeys();
  const isProof = kindParam === "proof";

  function start(name: string, checkable: Checkable): void {
    void run(name, checkable, { brokerKeys, seen: getSeenHeads() }).then(
      (result) => result && storeCheckedHead(result),
    );
  }

  return (
    <>
      <p className="mt-1 max-w-prose text-muted-foreground">
        Every hash is recomputed in this browser, and nothing is uploaded. It works offline and with the
        broker stopped.
      </p>
      <Readiness state={state} />
      {check.status === "none" ? (
        <div className="mt-4 grid gap-4">
          <Segmented
            label="What to verify"
            value={isProof ? "proof" : "export"}
            onChange={(value) => setKindParam(value === "proof" ? "proof" : null, { replace: true })}
            options={[
              { value: "export", label: "Export" },
              { value: "proof", label: "Proof" },
            ]}
          />
          {isProof ? (
            <ProofPaste
              disabled={state !== "ready"}
              onPaste={(text) => start("Proof", { what: "proof", text })}
            />
          ) : (
            <BundleDrop
              disabled={state !== "ready"}
              onFile={(file) => start(file.name, { what: "bundle", file })}
            />
          )}
        </div>
      ) : (
        <div className="mt-4 grid gap-4">
          <h2 className="sr-only">Result</h2>
          <CheckOutcome check={check} />
          <Button variant="outline" className="w-fit" onClick={reset}>
            {check.status === "checking" ? "Cancel" : "Verify another"}
          </Button>
        </div>
      )}
    </>
  );
}

/** Shows whether everything is loaded, or why nothing can be checked. */
function Readiness({ state }: { readonly state: "loading" | "ready" | "missing" }) {
  if (state === "missing") {
    return (
      <Alert className="mt-3">
        <AlertTitle>Couldn't load the verifier.</AlertTitle>
        <AlertDescription>
          Reload this page while the broker is running. Nothing was checked.
        </AlertDescription>
      </Alert>
    );
  }
  const Icon = state === "ready" ? CircleCheck : LoaderCircle;
  return (
    <p role="status" className="mt-2 flex items-center gap-1.5 text-sm text-muted-foreground">
      <Icon aria-hidden className={state === "ready" ? "size-4 text-success" : "size-4"} />
      {state === "ready" ? "Ready. No network is needed from here on." : "Loading verifier…"}
    </p>
  );
}

/** Returns the keys of the broker that served this page. Empty while loading, or if the broker does not answer. */
function useBrokerKeys() {
  const [keys, setKeys] = useState<Awaited<ReturnType<typeof readBrokerKeys>>>([]);
  useEffect(() => {
    const controller = new AbortController();
    void readBrokerKeys(controller.signal).then((read) => !controller.signal.aborted && setKeys(read));
    return () => controller.abort();
  }, []);
  return keys;
}

interface ProofPasteProps {
  readonly disabled: boolean;
  readonly onPaste: (text: string) => void;
}

/** A form for a pasted proof. */
function ProofPaste({ disabled, onPaste }: ProofPasteProps) {
  const [text, setText] = useState("");
  return (
    <form
      className="grid gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        onPaste(text);
      }}
    >
      <Field>
        <FieldLabel>Proof</FieldLabel>
        <Textarea
          value={text}
          onChange={({ target }) => setText(target.value)}
          spellCheck={false}
          placeholder="{"
          className="max-h-96 min-h-48 font-mono text-xs leading-5 break-all"
        />
        <FieldDescription>JSON, copied from a message’s proof or returned by session_proof.</FieldDescription>
      </Field>
      <Button type="submit" className="w-fit" disabled={disabled || text.trim() === ""}>
        Verify
      </Button>
    </form>
  );
}
