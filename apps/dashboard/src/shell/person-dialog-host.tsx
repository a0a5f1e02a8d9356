"use client";

import { useEffect, useSyncExternalStore } from "react";
import { toProblem } from "@/broker/problem";
import { useBroker } from "@/broker/use-broker";
import { lazyPart } from "@/core/lazy-part";
import { loadModule } from "@/core/load-module";
import { isInDemo } from "@/identity/chosen-mesh";
import { findNameInMain, findPerson, onPersonChanged, onPersonUnknown } from "@/identity/person";
import { declineName, isNameRequested, onNameRequest } from "@/identity/require-person";
import { findVerificationCode, onVerificationCode } from "@/identity/verification";
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
  const code = useSyncExternalStore(onVerificationCode, findVerificationCode, () => null);
  const person = useSyncExternalStore(onPersonChanged, findPerson, () => null);
  useEffect(() => {
    if (code === null || person === null) return;
    loadModule(() => import("@/identity/follow-verification-link"))
      .then(({ followVerificationLink }) => followVerificationLink(broker))
      .catch((error: unknown) => toast({ tone: "failed", text: toProblem(error).detail }));
  }, [broker, code, person, toast]);
  const isRequested = useSyncExternalStore(onNameRequest, isNameRequested, () => false);
  // A demo visitor can act without entering a name.
  const isVisitor = isRequested && isInDemo;
  useEffect(() => {
    if (!isVisitor) return;
    import("@/identity/create-person")
      .then(({ createPerson }) => createPerson(broker, findNameInMain() ?? "Visitor"))
      .catch(declineName);
  }, [isVisitor, broker]);
  if (!isRequested || isVisitor) return null;
  return <PersonDialog />;
}
