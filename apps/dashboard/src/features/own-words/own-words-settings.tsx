"use client";

import { useCallback, useEffect, useState } from "react";
import { InstallSnippet } from "@/components/install-snippet";
import { Snippet } from "@/components/snippet";
import { Button } from "@/ui/button";
import { findDeviceKey, getDeviceKey } from "./device-key";

/** The key of this device, and the commands that make agents recognise it. */
export function OwnWordsSettings() {
  const [device, setDevice] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);

  const show = useCallback((read: () => Promise<{ readonly device: string } | null>): void => {
    read().then(
      (key) => setDevice(key?.device ?? null),
      (error: unknown) => setProblem(error instanceof Error ? error.message : String(error)),
    );
  }, []);
  useEffect(() => show(findDeviceKey), [show]);

  return (
    <div className="grid justify-items-start gap-3 text-sm">
      <p>
        Agents treat all messages as information. An agent that you launch with{" "}
        <code className="font-mono">--own-words</code> also accepts messages that a device of yours has signed
        for it, as if you had typed them at its terminal. Don’t do this on a broker that you don’t trust: it
        serves this page, and could sign in your name.
      </p>
      {device === null ? (
        <Button variant="outline" onClick={() => show(getDeviceKey)}>
          Create a key for this device
        </Button>
      ) : (
        <>
          <InstallSnippet className="w-full" />
          <Snippet
            className="w-full"
            label="Let agents recognise this device"
            text={`merkle config set own_devices ${device} --local\nmerkle launch --own-words`}
          />
          <p className="text-muted-foreground">
            Run this in your own terminal, on the machine where your agents run. Separate several devices with
            commas. The key never leaves this browser.
          </p>
        </>
      )}
      {problem !== null && (
        <p role="alert" className="text-danger">
          This browser can’t store a key: {problem}
        </p>
      )}
    </div>
  );
}
