import type { Metadata } from "next";
import { JoinView } from "@/views/sign-in/join-view";

export const metadata: Metadata = { title: "Join" };

export default function JoinPage() {
  return <JoinView />;
}
