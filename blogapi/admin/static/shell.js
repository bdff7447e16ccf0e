/** The frame of every page: session, failures, signing in again, and the palette. */

import { html, LitElement, nothing } from "./vendor/lit.js";
import { ApiError, connection, get, onLoginEnded, post } from "./api.js";
import { emptyState, keepFocus, pageHead, problem, row, sectionHead, updateFloats } from "./components.js";
import { Journal } from "./editor/journal.js";
import { count, formatDayAndTime, setTimeZone } from "./format.js";
import { openPalette } from "./palette.js";
import { letterOf, nameKeys } from "./shortcuts.js";
import * as storage from "./storage.js";

// The names of the blog and the user are stored for the next page, whose menu does not wait for the API.
const KEPT = "blogapi.session";
let last = storage.read(KEPT) ?? {};
const [missing, silent, technical] = document.getElementById("failure").content.children;
let current = null;

/** {user: {uuid, username, role}, site: {title, time_zone, …}}; known in renderPage(), not yet in load(). */
export const session = () => current;

/** The values of this session, or of the last one in this browser: {title, user, username, role}. */
export const lastSession = () => last;

export function setSession(session) {
  current = session;
  setTimeZone(session.site.time_zone);
  const {
    user: { uuid: user, username, role },
    site: { title },
  } = session;
  last = { title, user, username, role };
  storage.write(KEPT, last);
  onLoginEnded(signInAgain);
}

async function openSession() {
  const [{ data: user }, { data: site }] = await Promise.all([get("auth/me/"), get("blog/site/")]);
  setSession({ user: { ...user, uuid: user.user }, site });
}

/**
 * The base of all pages. A subclass has load() and renderPage(); where needed also renderMain() (the main
 * button), renderHead(), `heading` (by default the title of the document), and `static forMembers` (not for
 * admins only). Its fields are plain properties: set() changes them and renders.
 */
export class Page extends LitElement {
  static heading = document.title;

  state = "loading";
  busy = "";
  kept = [];
  errors = {};
  problem = "";

  // For subclasses.
  get heading() {
    return this.constructor.heading;
  }
  async load() {}
  renderHead() {
    return pageHead(this.heading, this.state === "loading" ? nothing : this.renderMain());
  }
  renderMain() {
    return nothing;
  }
  renderPage() {
    return nothing;
  }

  createRenderRoot() {
    return this;
  }

  set(fields) {
    Object.assign(this, fields);
    this.requestUpdate();
  }

  /** Load the page (again): the state is "loading" at first, then "ready" or "failed". */
  async reload() {
    clearInterval(this.timer);
    const opening = current ? null : openSession();
    const finding = findKept().then((kept) => this.set({ kept }));
    const failed = (await Promise.allSettled([opening, this.load(), finding])).find(({ reason }) => reason);
    const isAllowed = !current || last.role === "admin" || this.constructor.forMembers;
    if (!isAllowed) return location.replace("/admin/profile/");
    if (!failed) return this.set({ state: "ready" });
    const error = failed.reason;
    const here = encodeURIComponent(location.pathname + location.search);
    if (error.status === 401) return location.replace(`/admin/sign-in/?next=${here}`);
    if (!(error instanceof ApiError)) console.error(error);
    this.set({ state: "failed", failure: error, wait: error.retryAfter ?? 10 });
    const countDown = () => (this.wait ? this.set({ wait: this.wait - 1 }) : this.reload());
    if (error.isTemporary) this.timer = setInterval(countDown, 1000);
  }

  /**
   * Run work() for an action of the user. `busy` is its name until it ends, and no second one is started.
   * Errors of fields are stored in `errors` (see field()), all others in `problem`. Returns the result of
   * work(), or undefined.
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
      const place = [...document.querySelectorAll("main, dialog[open], .popover")].at(-1);
      const isShown = Object.keys(errors).some((field) =>
        place.querySelector(`[id="field-${field}"]`)?.checkVisibility(),
      );
      this.set({ errors, problem: isShown ? "" : message });
      this.updateComplete.then(() => document.querySelector("[aria-invalid=true]")?.focus());
    } finally {
      this.set({ busy: "" });
    }
  }

  /** As act(), and load the page again after work(). */
  actAndReload(name, work) {
    return this.act(name, async () => {
      const result = await work();
      await this.reload();
      return result;
    });
  }

  /** The alert of act(), for dialogs; the page shows it below its head. */
  renderProblem() {
    return problem(this.problem);
  }

  // If a render removes the element with the focus, such as the row of a menu, the content gets the focus.
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
    return html`${this.renderHead()}${isBehind ? nothing : this.renderProblem()}
      ${renderKept(this)}${this.renderPage()}`;
  }

  updated() {
    document.title = [this.heading, last.title].filter(Boolean).join(" · ");
    document.querySelector(".side-title").textContent = last.title || location.host;
    document.querySelector(".side [href='/admin/profile/'] span").textContent = last.username || "Profile";
    if (last.role) document.body.dataset.role = last.role;
    updateFloats();
  }
}

// Return the texts of this browser whose articles the blog does not have, or does not show now.
async function findKept() {
  const find = (entry) =>
    get(`blog/articles/${entry.article}/`, { query: { fields: "uuid" } }).then(
      () => [],
      ({ status }) => [{ ...entry, status }],
    );
  return (await Promise.all((await new Journal(last.user).find()).map(find))).flat();
}

// The editor of a new article offers the texts of articles that do not exist.
function renderKept({ kept }) {
  const rows = kept.map(({ article, status, edits: { title, content }, time }) =>
    row({
      title: html`<a href="/admin/articles/${status === 404 ? "new" : article}/"
      >${title || "Without a title"}</a>`,
      text: `${count(content.split(/\s+/).filter(Boolean).length, "word")} not saved to the blog`,
      side: formatDayAndTime(new Date(time)),
    }),
  );
  return html`<section class="kept-texts" ?hidden=${!rows.length}>
    ${sectionHead("Kept in this browser")}<ul class="rows">${rows}</ul></section>`;
}

function renderFailure(page) {
  const { failure, wait } = page;
  if (failure.status === 404) return html`${renderKept(page)}${missing}`;
  if (!failure.isTemporary) return emptyState({ title: "This page does not work", text: failure.message });
  silent.querySelector(".wait").textContent = count(wait, "second");
  silent.querySelector("button").onclick = () => page.reload();
  const { failures, lastGood } = connection;
  technical.querySelector("pre").textContent = `${failures.join("")}Last good answer: ${lastGood}.`;
  return html`${silent}${renderKept(page)}${technical}`;
}

// Ask for the password in the dialog of the document; return a promise of whether the user signed in.
function signInAgain() {
  const dialog = document.getElementById("again");
  const [form, name, trouble] = dialog.querySelectorAll("form, .name, [role=alert]");
  const { promise, resolve } = Promise.withResolvers();
  name.textContent = form.elements.username.value = current.user.username;
  form.elements.password.value = trouble.textContent = "";
  form.onreset = () => dialog.close();
  form.onsubmit = async (event) => {
    event.preventDefault();
    const request = post("auth/login/", Object.fromEntries(new FormData(form)), { signInAgain: false });
    trouble.textContent = await request.then(
      () => "",
      ({ message }) => message,
    );
    if (trouble.textContent) return;
    resolve(true);
    dialog.close();
  };
  dialog.onclose = () => resolve(false);
  dialog.showModal();
  return promise;
}

// The button "Show" of a password.
addEventListener("click", ({ target: toggle }) => {
  if (!toggle.matches(".suffix")) return;
  const input = toggle.previousElementSibling;
  input.type = input.type === "password" ? "text" : "password";
  toggle.ariaPressed = String(input.type === "text");
});

/** Define the page of this document, and show it. */
export function definePage(PageClass) {
  customElements.define("admin-page", PageClass);
  const page = document.querySelector("admin-page");
  page.reload();
  addEventListener("online", () => page.state === "failed" && page.reload());
  nameKeys(document);
  addEventListener("click", ({ target }) => target.closest(".go-to") && openPalette());
  addEventListener("keydown", (event) => {
    if (letterOf(event) !== "P" || last.role !== "admin") return;
    event.preventDefault();
    openPalette();
  });
}
