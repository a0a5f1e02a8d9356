"use client";

import { type ComponentProps, useState } from "react";
import { lazyPart } from "@/core/lazy-part";
import { Button } from "@/ui/button";

const SignOutDialog = lazyPart(() => import("./sign-out-dialog"), "SignOutDialog");

/** A button that signs this browser out after a confirmation. */
export function SignOutButton(props: Pick<ComponentProps<typeof Button>, "size" | "variant" | "children">) {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button {...props} onClick={() => setAsking(true)} />
      {isAsking && <SignOutDialog onClose={() => setAsking(false)} />}
    </>
  );
}
