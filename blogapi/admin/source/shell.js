/** The base class of all pages, with what they share: session, failures, signing in again, and the palette. */

import { html, LitElement, nothing } from "../static/vendor/lit.js";
import { ApiError, connection, get, setSignInHandler, post } from "./api.js";
import { askForCode, askForPassword } from "./second-factor.js";
import { emptyState, pageHead, problemAlert, listRow, sectionHead } from "./components.js";
import { keepFocus, toast, updateOverlays } from "./dialogs.js";
import { Journal } from "./editor/journal.js";
import { formatCount, formatDayAndTime, setTimeZone } from "./format.js";
import { guardLinks } from "./navigation.js";
import { openPalette } from "./palette.js";
import { hasRole, setCaller } from "./roles.js";
import { getShortcutKey, showMacKeys } from "./shortcuts.js";
import * as storage from "./storage.js";

// The names of the blog and the user are stored, so that the menu of the next page does not wait for the API.
const SESSION_KEY = "blogapi.session";
let storedSession = storage.getItem(SESSION_KEY) ?? {};
setCaller({ ...storedSession, uuid: storedSession.user });
/** @param {string} selector @returns {any} */
const findElement = (selector) => document.querySelector(selector);

/** The elements of the document and its templates, by the value of their `data-ref`. @type {Refs} */
export const refs = /** @type {any} */ (
  Object.fromEntries(
    [document, ...[...document.querySelectorAll("template")].map(({ content }) => content)]
      .flatMap((root) => [.../** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll("[data-ref]"))])
      .map((element) => [element.dataset.ref, element]),
  )
);
const DOCUMENT_TITLE = document.title;
const PAGE_NAME = document.body.dataset.page;
// Whether the page has no menu, such as the editor.
const IS_BARE = document.body.classList.contains("bare");
/** @type {any} */
let currentSession = null;

/** Return the session {user: {uuid, username, role}, site: {title, time_zone, …}}; null until it is loaded. */
export const getSession = () => currentSession;

/** Return the values of this session or the last one in this browser: {title, address, user, username, role, …}. */
export const getLastSession = () => storedSession;

/** @param {{user: Json, site: Json}} session */
export function setSession(session) {
  currentSession = session;
  setTimeZone(session.site.time_zone);
  const { uuid: user, username, role, can_publish } = session.user;
  const { title, url, built_in } = session.site;
  // The built-in site has the host of this page, even if the configured address has another host or port.
  storedSession = { title, address: built_in ? "/" : url, user, username, role, can_publish };
  setCaller(session.user);
  storage.setItem(SESSION_KEY, storedSession);
  setSignInHandler(signInAgain);
}

async function loadSession() {
  const [{ data: user }, { data: site }] = await Promise.all([get("auth/me/"), get("blog/site/")]);
  setSession({ user: { ...user, uuid: user.user }, site });
}

guardLinks(toast);

/**
 * The base class of all pages. A subclass has loadData() and renderPage(), and if needed `main` or renderMainButton()
 * (the main button), renderHead() and `heading` (by default the title of the document). setFields() changes properties
 * of a page and renders it.
 */
export class Page extends LitElement {
  state = "loading";
  busy = "";
  /** @type {any[]} */
  kept = [];
  /** @type {Record<string, unknown>} */
  errors = {};
  problem = "";
  /** @type {(() => unknown) | null} renders the content if the item of the page is in the bin */
  renderDeleted = null;
  /** @type {unknown} */
  main = nothing;

  // Subclasses override the following members.
  get heading() {
    return DOCUMENT_TITLE;
  }
  async loadData() {}
  renderHead() {
    return pageHead(this.heading, this.state === "loading" ? nothing : this.renderMainButton());
  }
  /** @returns {unknown} */
  renderMainButton() {
    return this.main;
  }
  /** @returns {unknown} */
  renderPage() {
    return nothing;
  }

  createRenderRoot() {
    return this;
  }

  /** @param {Json} fields */
  setFields(fields) {
    Object.assign(this, fields);
    this.requestUpdate();
  }

  /**
   * Load the page (again): the state is "loading" at first, then "ready" or "failed". If another load starts meanwhile,
   * only the last one changes the state. @returns {Promise<void>}
   */
  async reloadPage() {
    clearInterval(this.timer);
    const load = {};
    this.lastLoad = load;
    const opening = currentSession ? null : loadSession();
    // loadData() can depend on the role, which is known only if this browser had a session before.
    if (!storedSession.role) await opening?.catch(() => {});
    const { role } = storedSession;
    const finding = loadKeptTexts(opening).then((kept) => this.setFields({ kept }));
    const results = await Promise.allSettled([opening, this.loadData(), finding]);
    if (load !== this.lastLoad) return;
    const failed = results.find(({ status }) => status === "rejected");
    // Until an admin has turned on a required second factor, the login has only the scope "published".
    const isRestricted = currentSession && !currentSession.user.scopes.includes("read") && PAGE_NAME !== "profile";
    const isAllowed = !currentSession || hasRole(document.body.dataset.for ?? "");
    if (!isAllowed || isRestricted) return location.replace("/admin/profile/");
    // The page was loaded for the former role of the user.
    if (failed && currentSession && role !== storedSession.role) return this.reloadPage();
    if (!failed) return this.setFields({ state: "ready" });
    const error = /** @type {PromiseRejectedResult} */ (failed).reason;
    const here = encodeURIComponent(location.pathname + location.search);
    if (error.status === 401) return location.replace(`/admin/sign-in/?next=${here}`);
    if (!(error instanceof ApiError)) console.error(error);
    const isInBin = error.code === "deleted";
    const loadRenderer = () => import("./deleted-item.js").then((bin) => bin.makeDeletedItemRenderer(this));
    this.renderDeleted = isInBin ? await loadRenderer().catch(() => null) : null;
    this.setFields({ state: "failed", failure: error, wait: error.retryAfter ?? 10 });
    const countDown = () => (this.wait ? this.setFields({ wait: this.wait - 1 }) : this.reloadPage());
    if (error.isTemporary) this.timer = setInterval(countDown, 1000);
  }

  /**
   * Run work() for an action of the user. `busy` is the name of the task until it ends; during a task, no other one
   * starts. Errors of fields are stored in `errors` (see field()), other errors in `problem`. Return the result of
   * work(), or undefined after an error.
   * @template T @param {string} name @param {() => T | Promise<T>} work @returns {Promise<T | undefined>}
   */
  async runTask(name, work) {
    if (this.busy) return;
    this.setFields({ busy: name, errors: {}, problem: "" });
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { errors, message } = error;
      // The field with the error can be hidden, or covered by the popover of the action.
      const front = [...document.querySelectorAll("main, dialog[open], .popover")].at(-1);
      /** @param {string} field */
      const isVisible = (field) => front?.querySelector(`[id="field-${field}"]`)?.checkVisibility();
      const isShown = Object.keys(errors).some(isVisible);
      this.setFields({ errors, problem: isShown ? "" : message });
      this.updateComplete.then(() => findElement("[aria-invalid=true]")?.focus());
    } finally {
      this.setFields({ busy: "" });
    }
  }

  /** Show the error of a request; unlike tasks, several requests can run at once. @param {Promise<unknown>} request */
  showFailure(request) {
    request.catch((error) => {
      if (!(error instanceof ApiError)) throw error;
      this.setFields({ problem: error.message });
    });
  }

  /**
   * Run work() as runTask() does, and load the page again after it.
   * @template T @param {string} name @param {() => T | Promise<T>} work @returns {Promise<T | undefined>}
   */
  runAndReload(name, work) {
    return this.runTask(name, async () => {
      const result = await work();
      await this.reloadPage();
      return result;
    });
  }

  // Move the focus to the content if the update removes the element with the focus, such as the button of a menu.
  /** @param {any} changes */
  update(changes) {
    keepFocus(() => super.update(changes));
  }

  render() {
    if (IS_BARE && this.state !== "failed") return this.state === "ready" ? this.renderPage() : nothing;
    return html`<main id="main" class="main" tabindex="-1">
      <div class="content">${this.renderContent()}</div></main>`;
  }

  renderContent() {
    if (this.state === "failed") return html`${this.renderHead()}${renderFailure(this)}`;
    if (this.state === "loading") return html`${this.renderHead()}<p class="loading">Loading…</p>`;
    const isBehind = document.querySelector("dialog[open]");
    return html`${this.renderHead()}${isBehind ? nothing : problemAlert(this.problem)}
      ${renderKeptTexts(this)}${this.renderPage()}`;
  }

  updated() {
    // The page for a missing article shows the menu, so that the user can go on.
    const isMissing = this.state === "failed" && this.failure.status === 404;
    document.body.classList.toggle("bare", IS_BARE && !isMissing);
    document.title = [this.heading, storedSession.title].filter(Boolean).join(" · ");
    refs.sideTitle.textContent = storedSession.title || location.host;
    findElement(".side [href='/admin/profile/'] span").textContent = storedSession.username || "Profile";
    const links = /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll(".see-site"));
    for (const link of links)
      Object.assign(link, { hidden: !storedSession.address, href: storedSession.address || "/" });
    if (storedSession.role) document.body.dataset.role = storedSession.role;
    updateOverlays();
  }
}

// Return the kept texts of this browser whose articles cannot be read, with the status of the response.
/** @param {Promise<void> | null} opening */
async function loadKeptTexts(opening) {
  // Until the session is loaded, the stored session can be that of another user.
  await opening?.catch(() => {});
  /** @param {import("./editor/journal.js").KeptEntry} entry */
  const findStatus = (entry) => {
    const request = get(`blog/${entry.place ?? "articles"}/${entry.article}/`, { query: { fields: "uuid" } });
    return request.then(() => null).catch(({ status }) => ({ ...entry, status }));
  };
  const entries = await new Journal(storedSession.user).findEntries();
  return (await Promise.all(entries.map(findStatus))).filter(Boolean);
}

/**
 * Render links to the kept texts; the editor of a new article offers a text whose article does not exist.
 * @param {Page} page
 */
function renderKeptTexts({ kept }) {
  /** @param {import("./editor/journal.js").KeptEntry & {status: number}} entry */
  const renderEntry = ({ place = "articles", article, status, edits, time }) => {
    const href = `/admin/${place}/${status === 404 ? "new" : article}/`;
    const text = `${formatCount(edits.content.split(/\s+/).filter(Boolean).length, "word")} not saved to the blog`;
    const title = html`<a href=${href}>${edits.title || "Without a title"}</a>`;
    return listRow({ title, text, side: formatDayAndTime(new Date(time)) });
  };
  return html`<section class="kept-texts" ?hidden=${!kept.length}>
    ${sectionHead("Kept in this browser")}<ul class="rows">${kept.map(renderEntry)}</ul></section>`;
}

/** @param {Page} page */
function renderFailure(page) {
  const { failure } = page;
  if (failure.status === 404)
    return html`${problemAlert(page.problem)}${renderKeptTexts(page)}${page.renderDeleted?.() ?? refs.missing}`;
  if (!failure.isTemporary) return emptyState({ title: "This page does not work", text: failure.message });
  refs.wait.textContent = formatCount(page.wait, "second");
  refs.tryNow.onclick = () => page.reloadPage();
  refs.failures.textContent = `${connection.failures.join("")}Last good answer: ${connection.lastGood}.`;
  return html`${refs.silent}${renderKeptTexts(page)}${refs.technical}`;
}

// Ask for the password in the dialog of the document; return a promise of whether the user signed in.
function signInAgain() {
  const { again: dialog, againForm: form, againName, againProblem } = refs;
  /** @type {PromiseWithResolvers<boolean>} */
  const { promise, resolve } = Promise.withResolvers();
  againName.textContent = form.elements.username.value = currentSession.user.username;
  form.elements.password.value = againProblem.textContent = "";
  askForPassword(form);
  form.onreset = () => dialog.close();
  form.onsubmit = async (event) => {
    event.preventDefault();
    try {
      await post("auth/login/", Object.fromEntries(new FormData(form)), { signInAgain: false });
      resolve(true);
      dialog.close();
    } catch (error) {
      const { code, message } = /** @type {ApiError} */ (error);
      const isCodeNeeded = code === "second_factor_required";
      againProblem.textContent = isCodeNeeded ? "" : message;
      if (isCodeNeeded) askForCode(form);
      else if (code === "login_failed") askForPassword(form);
    }
  };
  dialog.onclose = () => resolve(false);
  dialog.showModal();
  return promise;
}

// Firefox cancels the requests of a page when the user leaves it; these errors need no report.
addEventListener("unhandledrejection", (event) => event.reason?.code === "offline" && event.preventDefault());

// Handle the button "Show" of a password.
addEventListener("click", (/** @type {any} */ { target: toggle }) => {
  if (!toggle.matches(".suffix")) return;
  const input = toggle.previousElementSibling;
  input.type = input.type === "password" ? "text" : "password";
  toggle.ariaPressed = String(input.type === "text");
});

/**
 * Define the element <admin-page> of this document, load the page, and return it.
 * @template {typeof Page} T @param {T} PageClass
 */
export function definePage(PageClass) {
  customElements.define("admin-page", PageClass);
  const page = /** @type {InstanceType<T>} */ (findElement("admin-page"));
  page.reloadPage();
  addEventListener("online", () => page.state === "failed" && page.reloadPage());
  showMacKeys(document);
  addEventListener("click", (/** @type {any} */ { target }) => target.closest(".go-to") && openPalette());
  addEventListener("keydown", (event) => {
    if (getShortcutKey(event) !== "P" || !hasRole("author")) return;
    event.preventDefault();
    openPalette();
  });
  return page;
}
