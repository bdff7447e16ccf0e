/** The client of the API: JSON, ETags, errors, and a login that ends while a page is open. */

const BASE = "/api/v1/";

/** The last failures and the time of the last good answer, for the details of "Not reachable". */
export const connection = { failures: [], lastGood: null };

/** A response with an error status, or none: then the status is 0 and the code "offline". */
export class ApiError extends Error {
  constructor(status, { code = "", detail, errors = {}, etag = null, retryAfter = null } = {}) {
    super(detail ?? `The blog answered with an error (${status}).`);
    Object.assign(this, { name: "ApiError", status, code, detail: this.message, errors, etag, retryAfter });
  }

  /** Whether the same request can succeed later. */
  get isTemporary() {
    return [0, 429, 502, 503, 504].includes(this.status);
  }
}

let signIn = null;
let signingIn = null;

/** Set the function that asks for a new login; it returns a promise of whether there is one. */
export function onLoginEnded(ask) {
  signIn = ask;
}

/**
 * Send a request to the path below /api/v1/ and return {data, etag, status, total, links}.
 *
 * query: an object; null and "" are left out, an array repeats the name. body: sent as JSON. file: a Blob, sent
 * as it is; onProgress(sent, size) tells how much of it is sent. etag: If-Match. create: If-None-Match: *. once: a key;
 * the server answers a second POST with the same key as the first.
 * timeout: seconds, 0 for none. After a 401 the user signs in and the request is repeated once.
 */
export async function request(method, path, options = {}) {
  const { query, body, file, etag, create, once, keepalive, signal, timeout = file ? 0 : 30, onProgress } = options;
  const headers = { Accept: "application/json" };
  if (file) headers["Content-Type"] = "application/octet-stream";
  else if (body !== undefined) headers["Content-Type"] = "application/json";
  if (etag) headers["If-Match"] = etag;
  if (once) headers["Idempotency-Key"] = once;
  if (create) headers["If-None-Match"] = "*";
  const signals = [signal, timeout ? AbortSignal.timeout(timeout * 1000) : null].filter(Boolean);
  const init = { method, headers, keepalive, credentials: "same-origin", cache: "no-cache" };
  init.body = file ?? (body === undefined ? undefined : JSON.stringify(body));
  if (signals.length) init.signal = signals.length > 1 ? AbortSignal.any(signals) : signals[0];

  let response, data;
  try {
    const url = BASE + path + queryString(query);
    response = await (onProgress ? upload(url, init, onProgress) : fetch(url, init));
    const text = await response.text();
    data = response.headers.get("Content-Type")?.includes("json") ? JSON.parse(text) : text;
  } catch (error) {
    if (signal?.aborted) throw error;
    note(method, path, error.name === "TimeoutError" ? `no answer after ${timeout} s` : "no connection");
    throw new ApiError(0, { code: "offline", detail: "The blog does not answer." });
  }
  if (response.ok) {
    connection.lastGood = new Date();
    return {
      data,
      etag: getEtag(response),
      status: response.status,
      total: Number(response.headers.get("X-Total-Count") ?? NaN),
      links: parseLinks(response.headers.get("Link")),
    };
  }
  if (response.status === 401 && signIn && options.signInAgain !== false) {
    signingIn ??= signIn().finally(() => (signingIn = null));
    if (await signingIn) return request(method, path, { ...options, signInAgain: false });
  }
  note(method, path, response.status);
  const retryAfter = Number(response.headers.get("Retry-After")) || null;
  throw new ApiError(response.status, { ...(data?.code ? data : {}), etag: getEtag(response), retryAfter });
}

export const get = (path, options) => request("GET", path, options);
export const post = (path, body, options) => request("POST", path, { body, ...options });
export const put = (path, body, options) => request("PUT", path, { body, ...options });
export const patch = (path, body, options) => request("PATCH", path, { body, ...options });
export const del = (path, options) => request("DELETE", path, options);

/** Return the address below /api/v1/ for links and downloads. */
export function apiAddress(path, query) {
  return BASE + path + queryString(query);
}

function queryString(query = {}) {
  const pairs = Object.entries(query).flatMap(([name, value]) => [value].flat().map((item) => [name, item]));
  const text = new URLSearchParams(pairs.filter(([, item]) => item != null && item !== "")).toString();
  return text && `?${text}`;
}

// A proxy that compresses makes ETags weak; the server accepts strong ones only.
function getEtag(response) {
  return response.headers.get("ETag")?.replace(/^W\//, "") ?? null;
}

function parseLinks(header) {
  return Object.fromEntries([...(header ?? "").matchAll(/<([^>]*)>; rel="(\w+)"/g)].map(([, url, rel]) => [rel, url]));
}

function note(method, path, outcome) {
  connection.failures = [{ time: new Date(), text: `${method} ${BASE}${path}  ${outcome}` }, ...connection.failures].slice(0, 8);
}

// fetch() does not tell how much of a body is sent.
function upload(url, init, onProgress) {
  return new Promise((resolve, reject) => {
    const sender = new XMLHttpRequest();
    sender.open(init.method, url);
    for (const [name, value] of Object.entries(init.headers)) sender.setRequestHeader(name, value);
    sender.upload.onprogress = (event) => onProgress(event.loaded, event.total);
    sender.onload = () => {
      const lines = sender.getAllResponseHeaders().trim().split("\r\n").map((line) => line.split(/: (.*)/));
      const body = sender.status === 204 ? null : sender.response;
      resolve(new Response(body, { status: sender.status, headers: lines.map(([name, value]) => [name, value ?? ""]) }));
    };
    sender.onerror = sender.onabort = () => reject(new TypeError("The connection broke."));
    init.signal?.addEventListener("abort", () => sender.abort());
    sender.send(init.body);
  });
}
