import { assignToolset, reading, writingWhileOpen } from "../../operations/operation-rules.js";

export const rules = assignToolset("messaging", {
  list_files: { ...reading, access: "reader", route: "GET /api/sessions/:session_id/files" },
  read_attachment: {
    ...reading,
    access: "reader",
    route: "GET /api/sessions/:session_id/messages/:message/attachment",
  },
});

/** Uploads are available only over HTTP, because the other transports cannot accept a file. */
export const uploadRules = /* @__PURE__ */ assignToolset("messaging", {
  upload_file: { ...writingWhileOpen, access: "team", route: "PUT /api/sessions/:session_id/files" },
});

/** Downloads, likewise. A file is read through the message that carries it (ATTACH-6). */
export const downloadRules = /* @__PURE__ */ assignToolset("messaging", {
  download_file: {
    ...reading,
    access: "reader",
    route: "GET /api/sessions/:session_id/messages/:message/files/:digest",
  },
});
