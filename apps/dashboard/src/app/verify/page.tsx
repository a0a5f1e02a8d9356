import type { Metadata } from "next";
import { VerifyView } from "@/record/verify-view";

export const metadata: Metadata = { title: "Verify" };

export default function VerifyPage() {
  return <VerifyView />;
}
