/** The frame of every page: session, failures, signing in again, and the palette. */

import { html, LitElement, nothing } from "../static/vendor/lit.js";
import { ApiError, connection, get, onLoginEnded, post } from "./api.js";
import { askForCode, askForPassword } from "./code.js";
import { emptyState, pageHead, problemAlert, listRow, sectionHead } from "./components.js";
import { keepFocus, toast, updateFloats } from "./dialogs.js";
import { Journal } from "./editor/journal.js";
import { formatCount, formatDayAndTime, setTimeZone } from "./format.js";
import { guardLinks } from "./navigation.js";
import { openPalette } from "./palette.js";
import { hasRole, setCaller } from "./roles.js";
import { getShortcutKey, nameKeys } from "./shortcuts.js";
import * as storage from "./storage.js";

// The names of the blog and the user are stored, so that the menu of the next page does not wait for the API.
const SESSION_KEY = "blogapi.session";
let last = storage.getItem(SESSION_KEY) ?? {};
setCaller({ ...last, uuid: last.user });
/** @param {string} selector @returns {any} */
const findElement = (selector) => document.querySelector(selector);

/** The elements of the document and its templates that have a `data-ref`, by this name. @type {Refs} */
export const refs = /** @type {any} */ (
  Object.fromEntries(
    [document, ...[...document.querySelectorAll("template")].map(({ content }) => content)]
      .flatMap((root) => [.../** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll("[data-ref]"))])
      .map((element) => [element.dataset.ref, element]),
  )
);
const TITLE = document.title;
const PAGE_NAME = document.body.dataset.page;
/** @type {any} */
let current = null;

/** {user: {uuid, username, role}, site: {title, time_zone, …}}; known in renderPage(), not yet in load(). */
export const session = () => current;

/** The values of this session, or of the last one in this browser: {title, address, user, username, role, …}. */
export const lastSession = () => last;

/** @param {{user: Json, site: Json}} session */
export function setSession(session) {
  current = session;
  setTimeZone(session.site.time_zone);
  const { uuid: user, username, role, can_publish } = session.user;
  const { title, url, built_in } = session.site;
  // The site that blogapi shows is where this page is, also if its address has another port or host.
  last = { title, address: built_in ? "/" : url, user, username, role, can_publish };
  setCaller(session.user);
  storage.setItem(SESSION_KEY, last);
  onLoginEnded(signInAgain);
}

async function openSession() {
  const [{ data: user }, { data: site }] = await Promise.all([get("auth/me/"), get("blog/site/")]);
  setSession({ user: { ...user, uuid: user.user }, site });
}

guardLinks(toast);

/**
 * The base class of all pages. A subclass has load() and renderPage(); where needed also `main` or renderMain() (the
 * main button), renderHead() and `heading` (by default the title of the document). Its fields are plain
 * properties: set() changes them and renders.
 */
export class Page extends LitElement {
  state = "loading";
  busy = "";
  /** @type {any[]} */
  kept = [];
  /** @type {Record<string, unknown>} */
  errors = {};
  problem = "";
  /** @type {(() => unknown) | null} what is shown if the item of the page is in the bin */
  renderDeleted = null;
  /** @type {unknown} */
  main = nothing;

  // For subclasses.
  get heading() {
    return TITLE;
  }
  async load() {}
  renderHead() {
    return pageHead(this.heading, this.state === "loading" ? nothing : this.renderMain());
  }
  /** @returns {unknown} */
  renderMain() {
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
  set(fields) {
    Object.assign(this, fields);
    this.requestUpdate();
  }

  /** Load the page (again): the state is "loading" at first, then "ready" or "failed". @returns {Promise<void>} */
  async reload() {
    clearInterval(this.timer);
    const opening = current ? null : openSession();
    // What a page loads can depend on the role, which is known if this browser had a session before.
    if (!last.role) await opening?.catch(() => {});
    const { role } = last;
    const finding = loadKeptTexts().then((kept) => this.set({ kept }));
    const results = await Promise.allSettled([opening, this.load(), finding]);
    const failed = results.find(({ status }) => status === "rejected");
    // The login of an admin who must turn a second factor on first has no other scope than "published".
    const isRestricted = current && !current.user.scopes.includes("read") && PAGE_NAME !== "profile";
    const isAllowed = !current || hasRole(document.body.dataset.for ?? "");
    if (!isAllowed || isRestricted) return location.replace("/admin/profile/");
    // The page was loaded for the role that the user had before.
    if (failed && current && role !== last.role) return this.reload();
    if (!failed) return this.set({ state: "ready" });
    const error = /** @type {PromiseRejectedResult} */ (failed).reason;
    const here = encodeURIComponent(location.pathname + location.search);
    if (error.status === 401) return location.replace(`/admin/sign-in/?next=${here}`);
    if (!(error instanceof ApiError)) console.error(error);
    // The editor has no menu, but the page for a missing article shows the menu, so that the user can go on.
    if (error.status === 404) document.body.classList.remove("bare");
    const isInBin = error.code === "deleted";
    this.renderDeleted = isInBin
      ? await import("./in-bin.js").then(
          (bin) => bin.renderDeletedItem(this),
          () => null,
        )
      : null;
    this.set({ state: "failed", failure: error, wait: error.retryAfter ?? 10 });
    const countDown = () => (this.wait ? this.set({ wait: this.wait - 1 }) : this.reload());
    if (error.isTemporary) this.timer = setInterval(countDown, 1000);
  }

  /**
   * Run work() for an action of the user. `busy` is its name until it ends, and no second one is started. Errors of
   * fields are stored in `errors` (see field()), all others in `problem`. Returns the result of work(), or undefined.
   * @template T @param {string} name @param {() => T | Promise<T>} work @returns {Promise<T | undefined>}
   */
  async act(name, work) {
    if (this.busy) return;
    this.set({ busy: name, errors: {}, problem: "" });
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { errors, message } = error;
      // A field of the page can be hidden, or behind the popover of the action.
      const front = [...document.querySelectorAll("main, dialog[open], .popover")].at(-1);
      /** @param {string} field */
      const isVisible = (field) => front?.querySelector(`[id="field-${field}"]`)?.checkVisibility();
      const isShown = Object.keys(errors).some(isVisible);
      this.set({ errors, problem: isShown ? "" : message });
      this.updateComplete.then(() => findElement("[aria-invalid=true]")?.focus());
    } finally {
      this.set({ busy: "" });
    }
  }

  /** Show why a request fails. Unlike act(), several can run at once. @param {Promise<unknown>} request */
  showFailure(request) {
    request.catch((error) => {
      if (!(error instanceof ApiError)) throw error;
      this.set({ problem: error.message });
    });
  }

  /**
   * As act(), and load the page again after work().
   * @template T @param {string} name @param {() => T | Promise<T>} work @returns {Promise<T | undefined>}
   */
  actAndReload(name, work) {
    return this.act(name, async () => {
      const result = await work();
      await this.reload();
      return result;
    });
  }

  // If a render removes the element with the focus, such as the row of a menu, the content gets the focus.
  /** @param {any} changes */
  update(changes) {
    keepFocus(() => super.update(changes));
  }

  render() {
    const isBare = document.body.classList.contains("bare");
    if (isBare && this.state !== "failed") return this.state === "ready" ? this.renderPage() : nothing;
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
    document.title = [this.heading, last.title].filter(Boolean).join(" · ");
    refs.sideTitle.textContent = last.title || location.host;
    findElement(".side [href='/admin/profile/'] span").textContent = last.username || "Profile";
    const links = /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll(".see-site"));
    for (const link of links) Object.assign(link, { hidden: !last.address, href: last.address || "/" });
    if (last.role) document.body.dataset.role = last.role;
    updateFloats();
  }
}

// Return the texts of this browser whose articles the blog does not have, or does not show now.
async function loadKeptTexts() {
  /** @param {import("./editor/journal.js").KeptEntry} entry */
  const findStatus = (entry) => {
    const request = get(`blog/${entry.place ?? "articles"}/${entry.article}/`, { query: { fields: "uuid" } });
    return request.then(() => null).catch(({ status }) => ({ ...entry, status }));
  };
  const entries = await new Journal(last.user).findEntries();
  return (await Promise.all(entries.map(findStatus))).filter(Boolean);
}

/** The editor of a new article offers the texts of articles that do not exist. @param {Page} page */
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
  refs.tryNow.onclick = () => page.reload();
  refs.failures.textContent = `${connection.failures.join("")}Last good answer: ${connection.lastGood}.`;
  return html`${refs.silent}${renderKeptTexts(page)}${refs.technical}`;
}

// Ask for the password in the dialog of the document; return a promise of whether the user signed in.
function signInAgain() {
  const { again: dialog, againForm: form, againName, againProblem } = refs;
  /** @type {PromiseWithResolvers<boolean>} */
  const { promise, resolve } = Promise.withResolvers();
  againName.textContent = form.elements.username.value = current.user.username;
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
      const isAsked = code === "second_factor_required";
      againProblem.textContent = isAsked ? "" : message;
      if (isAsked) askForCode(form);
      else if (code === "login_failed") askForPassword(form);
    }
  };
  dialog.onclose = () => resolve(false);
  dialog.showModal();
  return promise;
}

// Firefox ends the requests of a page that is left, and nobody sees what they would have shown.
addEventListener("unhandledrejection", (event) => event.reason?.code === "offline" && event.preventDefault());

// The button "Show" of a password.
addEventListener("click", (/** @type {any} */ { target: toggle }) => {
  if (!toggle.matches(".suffix")) return;
  const input = toggle.previousElementSibling;
  input.type = input.type === "password" ? "text" : "password";
  toggle.ariaPressed = String(input.type === "text");
});

/** Define the page of this document, show it and return it. @template {typeof Page} T @param {T} PageClass */
export function definePage(PageClass) {
  customElements.define("admin-page", PageClass);
  const page = /** @type {InstanceType<T>} */ (findElement("admin-page"));
  page.reload();
  addEventListener("online", () => page.state === "failed" && page.reload());
  nameKeys(document);
  addEventListener("click", (/** @type {any} */ { target }) => target.closest(".go-to") && openPalette());
  addEventListener("keydown", (event) => {
    if (getShortcutKey(event) !== "P" || !hasRole("author")) return;
    event.preventDefault();
    openPalette();
  });
  return page;
}
