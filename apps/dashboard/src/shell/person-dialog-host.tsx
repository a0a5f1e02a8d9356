"use client";

import { useEffect, useSyncExternalStore } from "react";
import { toProblem } from "@/broker/problem";
import { useBroker } from "@/broker/use-broker";
import { lazyPart } from "@/core/lazy-part";
import { isInDemo } from "@/identity/chosen-mesh";
import { getPerson, nameInMain, onPersonChanged, onPersonUnknown } from "@/identity/person";
import { declineName, isNameAsked, onNameAsked } from "@/identity/require-person";
import { followVerificationLink, getVerificationCode, onVerificationCode } from "@/identity/verification";
import { useToast } from "@/ui/toast-provider";

const PersonDialog = lazyPart(() => import("./person-dialog"), "PersonDialog");

/** Opens the name dialog when a part of the page needs the person's name. */
export function PersonDialogHost() {
  const toast = useToast();
  useEffect(
    () =>
      onPersonUnknown(({ name }) =>
        toast({
          tone: "failed",
          text: `This broker doesn't recognise ${name}. Enter your name again when you write.`,
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
  // A demo visitor can act without entering a name.
  const isVisitor = isAsked && isInDemo;
  useEffect(() => {
    if (!isVisitor) return;
    import("@/identity/create-person")
      .then(({ createPerson }) => createPerson(broker, nameInMain() ?? "Visitor"))
      .catch(declineName);
  }, [isVisitor, broker]);
  if (!isAsked || isVisitor) return null;
  return <PersonDialog />;
}
