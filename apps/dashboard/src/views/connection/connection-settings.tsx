"use client";

import type { OutputOf } from "@merkle/wire";
import { Check, ExternalLink, X } from "lucide-react";
import { type FormEvent, type ReactNode, useId, useState } from "react";
import { useAction } from "@/broker/use-action";
import { useAdmitted } from "@/broker/use-admitted";
import { useAppInfo } from "@/broker/use-app-info";
import { useCall } from "@/broker/use-call";
import { useRead } from "@/broker/use-read";
import { ProblemAlert } from "@/components/problem-alert";
import { RefusalNote } from "@/components/refusal-note";
import { SavedNote } from "@/components/saved-note";
import { useHydrated } from "@/core/address/use-hydrated";
import { GuestNote } from "@/identity/power-gate";
import { useIsGuest } from "@/identity/use-person";
import { Button } from "@/ui/button";
import { Input } from "@/ui/input";
import { Skeleton } from "@/ui/skeleton";
import { useIsAdmin } from "@/views/people/use-is-admin";
import { type ConnectionAddress, isOfThisMachine, parseConnectionAddress } from "./connection-address";
import { RunningPeers } from "./running-peers";
import { SnippetTabs } from "./snippet-tabs";
import { listConnectionSnippets } from "./snippets";

type Settings = OutputOf<"get_settings">;
type TestResult = OutputOf<"test_connection">;

/** The address that agents use, a test of that address, and the snippets that connect an agent. */
export function ConnectionSettings() {
  const { data, problem, refresh } = useRead("get_settings", {}, { on: ["settings"] });
  const [savedUrl, setSavedUrl] = useState<string | null>(null);
  return (
    <>
      {problem && (
        <ProblemAlert
          title="Couldn't load settings."
          problem={problem}
          isStale={data !== undefined}
          onRetry={refresh}
        />
      )}
      {data ? (
        // The key resets the form when the address is changed elsewhere.
        <ConnectionForm
          key={data.connection_url}
          served={data}
          isSaved={savedUrl === data.connection_url}
          onSaved={setSavedUrl}
        />
      ) : (
        problem === undefined && <Skeleton className="h-72" aria-busy="true" />
      )}
    </>
  );
}

interface ConnectionFormProps {
  readonly served: Settings;
  readonly isSaved: boolean;
  /** Called with the connection URL after it was changed here. */
  readonly onSaved: (url: string) => void;
}

function ConnectionForm({ served, isSaved, onSaved }: ConnectionFormProps) {
  const call = useCall();
  const saveAction = useAction();
  const testAction = useAction();
  const [text, setText] = useState(served.settings.public_url ?? served.base_url);
  const [lastTest, setLastTest] = useState<{ readonly typed: string; readonly result: TestResult } | null>(
    null,
  );
  const id = useId();
  const needsToken = useAdmitted() !== null;
  const { data: info } = useAppInfo();
  const canChange = useIsAdmin();
  const isGuest = useIsGuest();

  const { address, problem } = parseConnectionAddress(text);
  const shownAddress = address ?? { base: served.base_url, mcp: served.connection_url };
  const isServed = shownAddress.mcp === served.connection_url;
  const result = lastTest?.typed === text ? lastTest.result : null;

  async function test(): Promise<void> {
    if (!address) return;
    await testAction.run(async (signal) => {
      const result = await call("test_connection", { url: address.mcp }, { signal });
      setLastTest({ typed: text, result });
    });
  }

  async function save(public_url: string | null): Promise<void> {
    await saveAction.run(async (signal) => {
      const { connection_url } = await call("update_settings", { settings: { public_url } }, { signal });
      onSaved(connection_url);
    });
  }

  function submit(event: FormEvent): void {
    event.preventDefault();
    // An MCP endpoint at a non-default path is saved as typed.
    if (address) void save(address.mcp === `${address.base}/api/mcp` ? address.base : address.mcp);
  }

  return (
    <div className="grid min-w-0 gap-4">
      <form className="grid gap-1.5" onSubmit={submit}>
        <label htmlFor={id} className="text-sm font-medium">
          Connection URL
        </label>
        <div className="flex flex-wrap gap-2">
          <Input
            id={id}
            type="text"
            inputMode="url"
            autoComplete="off"
            spellCheck={false}
            className="min-w-60 flex-1 font-mono text-sm"
            readOnly={!canChange}
            value={text}
            aria-invalid={problem !== null}
            aria-describedby={`${id}-note`}
            onChange={(event) => setText(event.target.value)}
          />
          {canChange && (
            <>
              <Button
                type="button"
                variant="outline"
                disabled={address === null || testAction.isPending || isGuest}
                onClick={() => void test()}
              >
                {testAction.isPending ? "Testing…" : "Test"}
              </Button>
              <Button
                type="submit"
                disabled={address === null || isServed || saveAction.isPending || isGuest}
              >
                Save
              </Button>
            </>
          )}
        </div>
        <p id={`${id}-note`} className="text-sm text-muted-foreground">
          {problem === null ? (
            <>
              <SavedNote isShown={isSaved && isServed} /> {describeServed(served, isServed)}
            </>
          ) : (
            <span role="alert" className="text-danger">
              {problem}
            </span>
          )}
        </p>
        {canChange && <GuestNote />}
        <RefusalNote refusal={saveAction.refusal} />
        <RefusalNote refusal={testAction.refusal} />
      </form>
      <dl className="grid gap-x-4 gap-y-1.5 text-sm sm:grid-cols-[9rem_minmax(0,1fr)]">
        <dt className="text-muted-foreground">Agents use</dt>
        <dd className="font-mono [overflow-wrap:anywhere]">{shownAddress.mcp}</dd>
        {canChange && (
          <>
            <dt className="text-muted-foreground">From the server</dt>
            <dd>
              <FromServer result={result} isPending={testAction.isPending} />
            </dd>
          </>
        )}
        <dt className="text-muted-foreground">From this browser</dt>
        <dd>
          <FromBrowser address={shownAddress} />
        </dd>
      </dl>
      {canChange && served.settings.public_url !== null && (
        <p className="text-sm">
          <Button
            variant="outline"
            size="sm"
            disabled={saveAction.isPending || isGuest}
            onClick={() => void save(null)}
          >
            Use the broker’s listening address
          </Button>
        </p>
      )}
      <RunningPeers />
      <SnippetTabs
        snippets={listConnectionSnippets(shownAddress, { needsToken, keyPin: info?.key_pin ?? null })}
      />
    </div>
  );
}

function describeServed({ base_url, settings }: Settings, isServed: boolean): string {
  const scope = isOfThisMachine(base_url)
    ? "It works only on the broker’s own machine, not for agents elsewhere."
    : settings.public_url === null
      ? "It is the broker’s listening address."
      : "";
  return isServed ? `Agents use this address now. ${scope}` : `Currently used: ${base_url}. ${scope}`;
}

function FromServer({ result, isPending }: { result: TestResult | null; isPending: boolean }) {
  if (isPending) return <span className="text-muted-foreground">checking…</span>;
  if (result === null) return <span className="text-muted-foreground">not checked yet</span>;
  if (result.same_broker && result.problem !== null) return <No>{result.problem}</No>;
  if (result.same_broker) return <Yes>this broker replied in {Math.round(result.took_ms ?? 0)} ms</Yes>;
  return <No>{result.problem ?? "Another broker replied at this address."}</No>;
}

/**
 * A page may not send requests to other origins, so it can only show that the browser reaches the page's own origin.
 */
function FromBrowser({ address }: { address: ConnectionAddress }) {
  const isHydrated = useHydrated();
  if (!isHydrated) return null;
  if (new URL(address.base).origin === window.location.origin)
    return <Yes>reachable: this page was loaded from it</Yes>;
  return (
    <a
      href={`${address.base}/settings#connection`}
      target="_blank"
      rel="noopener noreferrer"
      className="inline-flex items-center gap-1 text-link underline-offset-4 hover:underline"
    >
      Open this page there to check
      <ExternalLink aria-hidden className="size-3.5" />
    </a>
  );
}

function Yes({ children }: { children: ReactNode }) {
  return (
    <span role="status" className="inline-flex items-start gap-1 text-success">
      <Check aria-hidden className="mt-0.5 size-4 shrink-0" />
      {children}
    </span>
  );
}

function No({ children }: { children: ReactNode }) {
  return (
    <span role="status" className="inline-flex items-start gap-1 text-danger">
      <X aria-hidden className="mt-0.5 size-4 shrink-0" />
      <span className="[overflow-wrap:anywhere]">{children}</span>
    </span>
  );
}
