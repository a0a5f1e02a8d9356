"use client";

import { Alert, AlertDescription, AlertTitle } from "@/ui/alert";
import { BundleReport } from "./bundle-report";
import { ProofReport } from "./proof-report";
import type { CheckState } from "./use-verifier";

/** The progress of a check, its result, or why the file could not be checked. */
export function CheckOutcome({ check }: { readonly check: CheckState }) {
  switch (check.status) {
    case "none":
      return null;
    case "checking":
      return <CheckProgress name={check.name} share={check.share} />;
    case "unusable":
      return (
        <Alert role="alert">
          <AlertTitle dir="auto">{check.name} cannot be verified.</AlertTitle>
          <AlertDescription className="break-words">{check.reason}</AlertDescription>
        </Alert>
      );
    case "checked":
      return check.result.what === "bundle" ? (
        <BundleReport name={check.name} result={check.result} />
      ) : (
        <ProofReport checked={check.result.proof} />
      );
  }
}

function CheckProgress({ name, share }: { readonly name: string; readonly share: number }) {
  const percent = Math.floor(share * 100);
  return (
    <div className="grid gap-2 rounded-lg border px-4 py-3">
      <p role="status">
        Checking <bdi className="font-medium">{name}</bdi>…
      </p>
      <div className="flex items-center gap-3">
        <progress
          aria-label="Progress"
          max={100}
          value={percent}
          className="h-1.5 min-w-0 flex-1 appearance-none overflow-hidden rounded-full bg-raised [&::-moz-progress-bar]:bg-primary [&::-webkit-progress-bar]:bg-raised [&::-webkit-progress-value]:bg-primary"
        />
        <span className="w-9 text-end text-sm text-muted-foreground tabular-nums">{percent} %</span>
      </div>
    </div>
  );
}
