"use client";

import { type ComponentProps, lazy, Suspense, useState } from "react";
import { Button } from "@/ui/button";

const SignOutDialog = lazy(() =>
  import("./sign-out-dialog").then((part) => ({ default: part.SignOutDialog })),
);

/** Asks, then signs this browser out. */
export function SignOutButton(props: Pick<ComponentProps<typeof Button>, "size" | "variant" | "children">) {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button {...props} onClick={() => setAsking(true)} />
      <Suspense>{isAsking && <SignOutDialog onClose={() => setAsking(false)} />}</Suspense>
    </>
  );
}
