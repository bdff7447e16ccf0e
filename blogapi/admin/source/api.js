/**
 * The client of the API: it sends JSON and ETags, explains errors, and asks for a new login when the login has ended.
 */

import { formatDistance, formatTime } from "./format.js";

const API_PATH = "/api/v1/";

/**
 * @typedef {{code?: string, detail?: string, errors?: Record<string, string | string[]>,
 *   retryAfter?: number | null}} Problem
 * @typedef {{query?: Record<string, unknown>, body?: unknown, file?: Blob | null, etag?: string | null,
 *   create?: boolean, keepalive?: boolean, timeout?: number, signInAgain?: boolean}} RequestOptions
 * @typedef {{data: any, status: number, etag: string | null, total: number, warning: string | null}} Answer
 */

/**
 * failures: the last failed requests; lastGood: the time of the last successful response. Error pages show both.
 * answered: the time of the last response in milliseconds, or 0 after a request without an answer.
 * failed: the time of the last request without an answer; responses to requests before it do not change `answered`.
 * clockAhead: by how many milliseconds the server's clock is ahead of the browser's.
 * @type {{failures: string[], lastGood: string, answered: number, failed: number, clockAhead: number}}
 */
export const connection = { failures: [], lastGood: "none", answered: Date.now(), failed: 0, clockAhead: 0 };

// The names of fields in messages, where they differ from the names in the API.
const FIELD_NAMES = { slug: "Address", published_at: "Time", content: "Text", username: "Name" };

// A message that begins with one of these words does not name its field, so explainFieldError() adds the name.
const MESSAGE_WITHOUT_FIELD = /^(?:Is|Must|Not|Contains|Missing|Unknown|Invalid)\b/;

/**
 * Return the messages of a field as a text that names the field: "Address: Not a valid slug."
 * @param {[string, string | string[]]} error the path of a field, and its messages
 */
function explainFieldError([path, messages]) {
  const name = path.split(".").findLast((part) => !/^\d*$/.test(part)) ?? path;
  const words = /** @type {Record<string, string>} */ (FIELD_NAMES)[name] ?? name.replaceAll("_", " ");
  const text = [messages].flat().join(" ");
  return MESSAGE_WITHOUT_FIELD.test(text) ? `${words[0].toUpperCase()}${words.slice(1)}: ${text}` : text;
}

/**
 * A failed request. Without a response of the API, the status is 0 and the code is "offline". The message contains all
 * errors of fields, and when to try again. errors: messages by field; retryAfter: seconds.
 */
export class ApiError extends Error {
  /** @param {number} status @param {Problem} [problem] */
  constructor(status, { code = "", detail, errors = {}, retryAfter = null } = {}) {
    const given = detail ?? `The blog answered with an error (${status}).`;
    const wait = retryAfter && !given.includes("again") && formatDistance(new Date(Date.now() + retryAfter * 1000));
    super(`${Object.entries(errors).map(explainFieldError).join(" ") || given}${wait ? ` Try again ${wait}.` : ""}`);
    this.status = status;
    this.code = code;
    this.errors = errors;
    this.retryAfter = retryAfter;
  }

  /** Whether the same request can succeed later. */
  get isTemporary() {
    return [0, 429, 502, 503, 504].includes(this.status);
  }
}

/** @type {(() => Promise<boolean>) | null} */
let signIn = null;
/** @type {Promise<boolean> | null} */
let pendingSignIn = null;

/**
 * Set the function that asks for a new login. The function returns a promise of whether the user signed in.
 * @param {() => Promise<boolean>} ask
 */
export const setSignInHandler = (ask) => (signIn = ask);

/**
 * Send a request to the path below /api/v1/ and return {data, etag, total}. query: the query parameters; null and ""
 * are left out, an array repeats the name. body: sent as JSON. file: a Blob, sent unchanged. etag: the value of
 * If-Match. create: whether to send `If-None-Match: *`. timeout: seconds, 0 for none. If the login has ended, the user
 * signs in again and the request is repeated.
 * @param {string} method @param {string} path @param {RequestOptions} [options] @returns {Promise<Answer>}
 */
export async function sendRequest(method, path, options = {}) {
  const { query, body, file, etag, create, keepalive, timeout = file ? 0 : 30 } = options;
  const type = file ? "application/octet-stream" : body !== undefined && "application/json";
  const given = Object.entries({ "Content-Type": type, "If-Match": etag, "If-None-Match": create && "*" });
  const headers = new Headers(/** @type {[string, string][]} */ (given.filter(([, value]) => value)));
  const signal = timeout ? AbortSignal.timeout(timeout * 1000) : null;
  /** @type {RequestInit} */
  const init = { method, headers, keepalive, signal, cache: "no-cache", body: file ?? JSON.stringify(body) };

  const sent = Date.now();
  let response, data;
  try {
    response = await fetch(makeApiAddress(path, query), init);
    // A proxy reports errors in HTML, and the sign-in page of a network can answer in place of the blog.
    const isJson = response.ok && response.status !== 204;
    data = await response.json().catch((error) => (isJson ? Promise.reject(error) : null));
  } catch (error) {
    /** @type {Record<string, string>} */
    const outcomes = { TimeoutError: `no answer after ${timeout} s`, SyntaxError: "no answer of the API" };
    recordFailure(method, path, outcomes[/** @type {Error} */ (error).name] ?? "no connection");
    Object.assign(connection, { answered: 0, failed: Date.now() });
    throw new ApiError(0, { code: "offline", detail: "The blog does not answer." });
  }
  if (sent > connection.failed) connection.answered = Date.now();
  const { ok, status, headers: received } = response;
  if (ok) {
    connection.lastGood = formatTime(new Date());
    connection.clockAhead = (Date.parse(received.get("Date") ?? "") || Date.now()) - Date.now();
    // A proxy that compresses makes ETags weak; the server accepts only strong ETags.
    const newEtag = received.get("ETag")?.replace(/^W\//, "") ?? null;
    const [total, warning] = [Number(received.get("X-Total-Count")), received.get("X-Warning")];
    return { data, status, etag: newEtag, total, warning };
  }
  const hasEnded = ["login_over", "key_missing"].includes(data?.code);
  if (hasEnded && signIn && options.signInAgain !== false) {
    pendingSignIn ??= signIn().finally(() => (pendingSignIn = null));
    if (await pendingSignIn) return sendRequest(method, path, { ...options, signInAgain: false });
  }
  recordFailure(method, path, status);
  const retryAfter = Number(received.get("Retry-After")) || null;
  const ended = hasEnded && { detail: "Your login has ended. Sign in to save; the text stays here." };
  throw new ApiError(status, { ...(data?.code && data), ...ended, retryAfter });
}

/** @param {string} path @param {RequestOptions} [options] */
export const get = (path, options) => sendRequest("GET", path, options);
/** @param {string} path @param {unknown} [body] @param {RequestOptions} [options] */
export const post = (path, body, options) => sendRequest("POST", path, { body, ...options });
/** @param {string} path @param {unknown} body @param {RequestOptions} [options] */
export const put = (path, body, options) => sendRequest("PUT", path, { body, ...options });
/** @param {string} path @param {unknown} body @param {RequestOptions} [options] */
export const patch = (path, body, options) => sendRequest("PATCH", path, { body, ...options });
/** @param {string} path @param {RequestOptions} [options] */
export const del = (path, options) => sendRequest("DELETE", path, options);

/**
 * Return the address of a path below /api/v1/, also for links and downloads.
 * @param {string} path @param {RequestOptions["query"]} [query]
 */
export function makeApiAddress(path, query = {}) {
  const pairs = Object.entries(query).flatMap(([name, value]) => [value].flat().map((item) => [name, item]));
  const given = pairs.filter(([, item]) => item != null && item !== "");
  const text = new URLSearchParams(/** @type {string[][]} */ (given)).toString();
  return API_PATH + path + (text && `?${text}`);
}

/**
 * Return the address of a picture or a file. A file of the library is loaded from this host, even if its public address
 * has another host.
 * @param {string} address
 */
export const makeFileAddress = (address) =>
  /\/media\/[0-9a-f]{64}\//.test(address) ? new URL(address, location.origin).pathname : address;

/** @param {string} method @param {string} path @param {string | number} outcome */
function recordFailure(method, path, outcome) {
  const failure = `${formatTime(new Date())}  ${method} ${API_PATH}${path}  ${outcome}\n`;
  connection.failures = [failure, ...connection.failures].slice(0, 8);
}
