"use client";

import { useSearchParams } from "next/navigation";
import { useAdmitted } from "@/broker/use-admitted";
import { useRead } from "@/broker/use-read";
import { PageHeader } from "@/components/page-header";
import { PanelBoundary } from "@/components/panel-boundary";
import { ReadPanel } from "@/components/read-panel";
import { useHydrated } from "@/core/address/use-hydrated";
import { Empty, EmptyDescription, EmptyTitle } from "@/ui/empty";
import { ClientForm, type ClientRequest } from "./client-form";

/** The page on which a member authorises a client. The client has redirected the member's browser here. */
export function AuthorizeView() {
  const isHydrated = useHydrated();
  const request = toRequest(useSearchParams());
  const admitted = useAdmitted();
  return (
    <>
      <PageHeader crumbs={[{ label: "Authorise a client" }]} />
      <div className="flex max-w-xl flex-col gap-6 p-4 lg:p-6">
        <h1 className="sr-only">Authorise a client</h1>
        <PanelBoundary title="Client">
          {isHydrated && request === null && (
            <Empty>
              <EmptyTitle>No client requests access</EmptyTitle>
              <EmptyDescription>
                An MCP client opens this page when you give it the address of this broker.
              </EmptyDescription>
            </Empty>
          )}
          {/* Nothing is read until the browser is signed in. */}
          {request !== null && <Asking request={admitted ? request : null} />}
        </PanelBoundary>
      </div>
    </>
  );
}

function Asking({ request }: { readonly request: ClientRequest | null }) {
  const read = useRead("preview_client", request);
  return (
    <ReadPanel read={read} failureTitle="This client cannot be authorised.">
      {(client) => request && <ClientForm client={client} request={request} />}
    </ReadPanel>
  );
}

/**
 * Returns the client's request from the URL, or null if the URL contains no request. The broker validates the request.
 */
function toRequest(params: URLSearchParams): ClientRequest | null {
  const client_id = params.get("client_id");
  if (client_id === null) return null;
  const state = params.get("state");
  return {
    client_id,
    redirect_uri: params.get("redirect_uri") ?? "",
    response_type: params.get("response_type") as "code",
    code_challenge: params.get("code_challenge") ?? "",
    code_challenge_method: params.get("code_challenge_method") as "S256",
    resource: params.get("resource") ?? "",
    ...(state !== null && { state }),
  };
}
