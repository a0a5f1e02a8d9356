"use client";

import { lazy, Suspense, useEffect, useSyncExternalStore } from "react";
import { toProblem } from "@/lib/broker/problem";
import { useBroker } from "@/lib/broker/use-broker";
import { getPerson, onPersonChanged, onPersonUnknown } from "@/lib/person/person";
import { isNameAsked, onNameAsked } from "@/lib/person/require-person";
import { followVerificationLink, getVerificationCode, onVerificationCode } from "@/lib/person/verification";
import { useToast } from "@/lib/toasts/toast-provider";

const PersonDialog = lazy(() =>
  import("./person-dialog").then(({ PersonDialog }) => ({ default: PersonDialog })),
);

/** Asks for the person's name when something on the page needs it. */
export function PersonDialogHost() {
  const toast = useToast();
  useEffect(
    () =>
      onPersonUnknown(({ name }) =>
        toast({
          tone: "failed",
          text: `This broker does not know you as ${name}. Say your name again when you write.`,
        }),
      ),
    [toast],
  );
  const broker = useBroker();
  const code = useSyncExternalStore(onVerificationCode, getVerificationCode, () => null);
  const person = useSyncExternalStore(onPersonChanged, getPerson, () => null);
  useEffect(() => {
    if (code === null || person === null) return;
    followVerificationLink(broker).catch((error: unknown) =>
      toast({ tone: "failed", text: toProblem(error).detail }),
    );
  }, [broker, code, person, toast]);
  const isAsked = useSyncExternalStore(onNameAsked, isNameAsked, () => false);
  if (!isAsked) return null;
  return (
    <Suspense>
      <PersonDialog />
    </Suspense>
  );
}
