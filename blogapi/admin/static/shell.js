/** The frame of every page: session, side menu, loading and failures, the login that ends, the palette. */

import { html, LitElement, nothing } from "./vendor/lit.js";
import { ApiError, connection, get, onLoginEnded, post } from "./api.js";
import { announce, button, emptyState, field, icon, notice, openDialog, openMenu, pageHead, problem, row, sectionHead,
  toast, updateFloats } from "./components.js";
import { keptTexts } from "./editor/journal.js";
import { count, formatDayAndTime, formatTime, setTimeZone } from "./format.js";
import { openPalette } from "./palette.js";

export { announce, toast };

/** The places of the side menu: [group, [[place, text, icon]]]; a place is the first part of the path. */
export const PLACES = [
  ["", [["", "Overview", "house"], ["articles", "Articles", "file-text"], ["media", "Media", "image"]]],
  ["Organise", [["categories", "Categories", "folder"], ["tags", "Tags", "tag"], ["authors", "Authors", "pen-line"]]],
  ["Settings", [["site", "Site", "globe"], ["users", "Users", "users"], ["keys", "Keys", "key-round"],
    ["import", "Import and export", "import"], ["backups", "Backups", "archive"]]],
];

export const pageAddress = (place) => `/admin/${place ? `${place}/` : ""}`;

// The names of the blog and the user are kept for the next page, so that its menu does not wait for the answers.
const KEPT = "blogapi.session";
let current = null;

/** {user: {uuid, username, role}, site: {title, time_zone, url, …}}; known in renderPage(), not yet in load(). */
export function session() {
  return current;
}

async function openSession() {
  const [{ data: me }, { data: site }] = await Promise.all([get("auth/me/"), get("blog/site/")]);
  setSession({ user: { uuid: me.user, username: me.username, role: me.role }, site });
}

export function setSession(session) {
  current = session;
  setTimeZone(session.site.time_zone);
  localStorage.setItem(KEPT, JSON.stringify({ title: session.site.title, username: session.user.username }));
}

/** The title of the blog and the name of the user who signed in last in this browser: {title, username}. */
export function lastSession() {
  return JSON.parse(localStorage.getItem(KEPT) ?? "{}");
}

/** Leave for the sign-in page, and come back here after it. */
export function goToSignIn() {
  location.replace(`/admin/sign-in/?next=${encodeURIComponent(location.pathname + location.search)}`);
}

/**
 * The base of all pages. A subclass has `static place` and `static heading`, `async load()` and `renderPage()`;
 * also renderMain() (the main button), renderHead(), and `static bare = true` (no side menu) or
 * `static anonymous = true` (no login) where needed. Its fields are plain: change them with set().
 */
export class Page extends LitElement {
  static place = "";
  static heading = "";
  static bare = false;
  static anonymous = false;
  static forMembers = false;

  constructor() {
    super();
    Object.assign(this, { state: "loading", failure: null, busy: "", errors: {}, problem: "", wait: 0 });
  }

  createRenderRoot() {
    return this;
  }

  get heading() {
    return this.constructor.heading;
  }

  connectedCallback() {
    super.connectedCallback();
    this.reload();
    addEventListener("online", () => this.state === "failed" && this.reload());
  }

  set(fields) {
    Object.assign(this, fields);
    this.requestUpdate();
  }

  async load() {}

  /** Load the page (again): the state is "loading" at first, then "ready" or "failed". */
  async reload() {
    clearInterval(this.timer);
    try {
      await Promise.all([this.constructor.anonymous || current ? null : openSession(), this.load()]);
      this.set({ state: "ready", failure: null });
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return goToSignIn();
      if (!(error instanceof ApiError)) console.error(error);
      this.set({ state: "failed", failure: error });
      if (error.isTemporary) this.retryIn(error.retryAfter ?? 10);
    }
  }

  retryIn(seconds) {
    this.set({ wait: seconds });
    this.timer = setInterval(() => {
      this.set({ wait: this.wait - 1 });
      if (this.wait <= 0) this.reload();
    }, 1000);
  }

  /**
   * Do one thing for the user; `this.busy` is its name meanwhile, and a second one is not started. Wrong fields come
   * into `this.errors` (see field()), anything else into `this.problem`. Returns what work() returns, or undefined.
   */
  async act(name, work) {
    if (this.busy) return undefined;
    this.set({ busy: name, errors: {}, problem: "" });
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const wrong = Object.keys(error.errors).length > 0;
      this.set({ errors: error.errors, problem: wrong ? "" : error.detail });
      if (wrong) this.updateComplete.then(() => document.querySelector("[aria-invalid=true]")?.focus());
      return undefined;
    } finally {
      this.set({ busy: "" });
    }
  }

  /** The alert line of act(), for dialogs; the page shows it below its head. */
  renderProblem() {
    return problem(this.problem);
  }

  renderMain() {
    return nothing;
  }

  renderHead() {
    return pageHead(this.heading, this.state === "loading" ? nothing : this.renderMain());
  }

  renderPage() {
    return nothing;
  }

  render() {
    const live = html`<div id="announcer" class="sr-only" role="status"></div>`;
    const { bare, place, forMembers, anonymous } = this.constructor;
    if (bare) {
      const failed = html`<main class="main"><div class="content">${this.renderHead()}${this.renderFailure()}</div></main>`;
      return html`${this.state === "ready" ? this.renderPage() : this.state === "failed" ? failed : nothing}${live}`;
    }
    const allowed = forMembers || anonymous || !current || current.user.role === "admin";
    return html`<a class="skip" href="#main">Skip to the content</a>
      ${sideMenu(place)}
      <main id="main" class="main" tabindex="-1"><div class="content">
        ${allowed ? this.renderHead() : pageHead(this.heading)}
        ${allowed ? this.renderContent() : emptyState({ title: "For admins only", text: "Ask an admin to change your role." })}
      </div></main>
      ${bottomBar(place)}${live}`;
  }

  renderContent() {
    if (this.state === "loading") return html`<p class="loading">Loading…</p>`;
    if (this.state === "failed") return this.renderFailure();
    return html`${document.querySelector("dialog[open]") ? nothing : this.renderProblem()}${this.renderPage()}`;
  }

  renderFailure() {
    const { failure } = this;
    if (!failure.isTemporary) {
      const missing = failure.status === 404;
      return emptyState({
        title: missing ? "There is nothing here" : "This page does not work",
        text: missing ? "It was deleted, or the address is not complete." : failure.detail ?? String(failure),
        actions: html`<a class="button" href="/admin/">Go to the overview</a>`,
      });
    }
    const kept = keptTexts();
    return html`${notice({
      icon: "cloud-off",
      title: html`<strong>The blog does not answer.</strong> Trying again in ${count(Math.max(this.wait, 0), "second")}.`,
      text: "You can go on writing: texts are kept in this browser and saved when the blog is back.",
      action: button({ text: "Try now", onClick: () => this.reload() }),
    })}
    ${kept.length ? html`<section class="section">${sectionHead("Kept in this browser")}<ul class="rows">${kept.map((text) => row({
        title: html`<a href="/admin/articles/${text.article}/">${text.title || "Without a title"}</a>`,
        text: `${count(text.words, "word")} not yet saved to the blog`,
        side: formatDayAndTime(text.changed),
      }))}</ul></section>` : nothing}
    <details class="section technical"><summary>Details for whoever runs the server</summary>
      <pre tabindex="0">${connection.failures.map(({ time, text }) => `${formatTime(time)}  ${text}\n`)}${
        connection.lastGood ? `Last good answer: ${formatTime(connection.lastGood)}.` : "No good answer on this page yet."}</pre>
    </details>`;
  }

  updated() {
    const title = current?.site.title ?? lastSession().title;
    document.title = [this.heading, title].filter(Boolean).join(" · ");
    updateFloats();
  }
}

function sideMenu(place) {
  const { title, username = "" } = lastSession();
  return html`<nav class="side" aria-label="Pages of the blog">
    <p class="side-title">${title || location.host}</p>
    <button type="button" class="button go-to" @click=${openPalette}>${icon("search")}<span>Go to…</span><kbd>Ctrl P</kbd></button>
    ${PLACES.map(([group, places]) => html`${group ? html`<h2>${group}</h2>` : nothing}
      <ul>${places.map((entry) => html`<li>${sideLink(entry, place)}</li>`)}</ul>`)}
    <div class="side-foot">${sideLink(["profile", username, "user"], place)}</div>
  </nav>`;
}

function sideLink([key, text, name], place) {
  return html`<a class="side-link" href=${pageAddress(key)} aria-current=${key === place ? "page" : nothing}
    >${icon(name)}<span>${text}</span></a>`;
}

function bottomBar(place) {
  const [daily, ...others] = PLACES.map(([, places]) => places);
  const more = others.flat().concat([["profile", lastSession().username || "Profile", "user"]]);
  const items = () => [
    { label: "Go to…", icon: "search", action: openPalette },
    ...more.map(([key, label, name]) => ({ label, icon: name, href: pageAddress(key) })),
  ];
  return html`<nav class="bottom-bar" aria-label="Pages">
    ${daily.map((entry) => sideLink(entry, place))}
    <button type="button" class="side-link ${more.some(([key]) => key === place) ? "current" : ""}" aria-haspopup="menu"
      @click=${({ currentTarget }) => openMenu(currentTarget, items(), "More")}>${icon("menu")}<span>More</span></button>
  </nav>`;
}

// Ask for the password over the page; nothing of the page is lost. Sends the events "login-ended" and "login-again".
async function signInAgain() {
  if (!current) return false;
  dispatchEvent(new Event("login-ended"));
  const values = { username: current.user.username, password: "" };
  let trouble = "";
  const signIn = async (event, close) => {
    event.preventDefault();
    try {
      const { data: user } = await post("auth/login/", values, { signInAgain: false });
      setSession({ ...current, user: { uuid: user.uuid, username: user.username, role: user.role } });
      close(true);
    } catch (error) {
      trouble = error.detail ?? String(error);
      dialog.update();
    }
  };
  const dialog = openDialog({
    title: "Your login has ended",
    content: (close) => html`<form class="form" @submit=${(event) => signIn(event, close)}>
      <p class="soft">Sign in to save; the text stays here.</p>${problem(trouble)}
      ${field({ name: "username", id: "again-name", label: "Name", value: values.username, autocomplete: "username",
        onInput: (value) => (values.username = value) })}
      ${field({ name: "password", id: "again-password", label: "Password", type: "password", autofocus: true,
        value: values.password, autocomplete: "current-password", onInput: (value) => (values.password = value) })}
      <div class="dialog-buttons">${button({ text: "Later", kind: "bare", onClick: () => close(false) })}
        ${button({ text: "Sign in", kind: "main", type: "submit" })}</div></form>`,
  });
  const again = Boolean(await dialog.result);
  if (again) dispatchEvent(new Event("login-again"));
  return again;
}

/** Make the page of this document. */
export function definePage(PageClass) {
  customElements.define("admin-page", PageClass);
  const page = new PageClass();
  document.body.append(page);
  if (PageClass.anonymous) return page;
  onLoginEnded(signInAgain);
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "p") {
      event.preventDefault();
      openPalette();
    }
  });
  return page;
}
