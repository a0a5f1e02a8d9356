"use client";

import { ConnectionPanel } from "@/components/connection/connection-panel";
import { PageHeader } from "@/components/shell/page-header";

export function SettingsView() {
  return (
    <>
      <PageHeader crumbs={[{ label: "Settings" }]} />
      <div className="max-w-4xl p-4 lg:p-6">
        <ConnectionPanel />
      </div>
    </>
  );
}
