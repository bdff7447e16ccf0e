/** The frame of every page: session, side menu, failures, signing in again, and the palette. */

import { html, LitElement, nothing } from "./vendor/lit.js";
import { ApiError, connection, get, onLoginEnded, post } from "./api.js";
import { announce, button, emptyState, field, icon, notice, openDialog, openMenu, pageHead, problem, row,
  sectionHead, toast, updateFloats } from "./components.js";
import { keptTexts } from "./editor/journal.js";
import { count, formatDayAndTime, formatTime, setTimeZone } from "./format.js";
import { openPalette } from "./palette.js";

export { announce, toast };

// The side menu: [group, [[path below /admin/, text, icon]]].
const GROUPS = [
  ["", [["", "Overview", "house"], ["articles", "Articles", "file-text"], ["media", "Media", "image"]]],
  ["Organise", [["categories", "Categories", "folder"], ["tags", "Tags", "tag"],
    ["authors", "Authors", "pen-line"]]],
  ["Settings", [["site", "Site", "globe"], ["users", "Users", "users"], ["keys", "Keys", "key-round"],
    ["import", "Import and export", "import"], ["backups", "Backups", "archive"]]],
];
const PLACES = GROUPS.flatMap(([, places]) => places);

// The names of the blog and the user are stored for the next page, whose menu does not wait for the API.
const KEPT = "blogapi.session";
let current = null;

/** {user: {uuid, username, role}, site: {title, time_zone, …}}; known in renderPage(), not yet in load(). */
export const session = () => current;

/** The values that the last page in this browser has stored: {title, user, username}; `user` is a uuid. */
export const lastSession = () => JSON.parse(localStorage.getItem(KEPT) ?? "{}");

export function setSession(session) {
  current = session;
  setTimeZone(session.site.time_zone);
  const { uuid: user, username } = session.user;
  localStorage.setItem(KEPT, JSON.stringify({ title: session.site.title, user, username }));
}

async function openSession() {
  const [{ data: user }, { data: site }] = await Promise.all([get("auth/me/"), get("blog/site/")]);
  setSession({ user: { ...user, uuid: user.user }, site });
}

/**
 * The base of all pages. A subclass has `static place` and `heading`, load() and renderPage(); where needed
 * also renderMain() (the main button), renderHead(), and `static bare` (no menu), `anonymous` (no login) or
 * `forMembers` (not for admins only). Its fields are plain properties: set() changes them and renders.
 */
export class Page extends LitElement {
  static place = "";
  static heading = "";

  constructor() {
    super();
    Object.assign(this, { state: "loading", failure: null, busy: "", errors: {}, problem: "", wait: 0 });
    addEventListener("online", () => this.state === "failed" && this.reload());
  }

  // For subclasses.
  get heading() { return this.constructor.heading; }
  async load() {}
  renderHead() { return pageHead(this.heading, this.state === "loading" ? nothing : this.renderMain()); }
  renderMain() { return nothing; }
  renderPage() { return nothing; }

  createRenderRoot() { return this; }

  set(fields) {
    Object.assign(this, fields);
    this.requestUpdate();
  }

  /** Load the page (again): the state is "loading" at first, then "ready" or "failed". */
  async reload() {
    clearInterval(this.timer);
    const opening = this.constructor.anonymous || current ? null : openSession();
    const failed = (await Promise.allSettled([opening, this.load()])).find(({ reason }) => reason);
    if (!failed) return this.set({ state: "ready", failure: null });
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
    if (this.busy) return undefined;
    this.set({ busy: name, errors: {}, problem: "" });
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { errors, detail } = error;
      const isShown = Object.keys(errors).some((field) => document.getElementById(`field-${field}`));
      this.set({ errors, problem: isShown ? "" : Object.values(errors).flat().join(" ") || detail });
      this.updateComplete.then(() => document.querySelector("[aria-invalid=true]")?.focus());
      return undefined;
    } finally {
      this.set({ busy: "" });
    }
  }

  /** The alert of act(), for dialogs; the page shows it below its head. */
  renderProblem() { return problem(this.problem); }

  render() {
    const { bare, place } = this.constructor;
    const live = html`<div id="announcer" role="status"><span class="sr-only"></span></div>`;
    if (bare && this.state === "loading") return live;
    if (bare && this.state === "ready") return html`${this.renderPage()}${live}`;
    const main = html`<main id="main" class="main" tabindex="-1">
      <div class="content">${this.renderContent()}</div></main>${live}`;
    if (bare) return main;
    return html`<a class="skip" href="#main">Skip to the content</a>
      ${sideMenu(place)}${main}${bottomBar(place)}`;
  }

  renderContent() {
    const { anonymous, forMembers } = this.constructor;
    if (current && current.user.role !== "admin" && !anonymous && !forMembers) {
      return html`${pageHead(this.heading)}
        ${emptyState({ title: "For admins only", text: "An admin can change your role." })}`;
    }
    if (this.state === "failed") return html`${this.renderHead()}${renderFailure(this)}`;
    if (this.state === "loading") return html`${this.renderHead()}<p class="loading">Loading…</p>`;
    const isBehind = document.querySelector("dialog[open]");
    return html`${this.renderHead()}${isBehind ? nothing : this.renderProblem()}${this.renderPage()}`;
  }

  updated() {
    const title = current?.site.title ?? lastSession().title;
    document.title = [this.heading, title].filter(Boolean).join(" · ");
    updateFloats();
  }
}

function renderFailure(page) {
  const { failure, wait } = page;
  if (!failure.isTemporary) {
    const isMissing = failure.status === 404;
    return emptyState({
      title: isMissing ? "There is nothing here" : "This page does not work",
      text: isMissing ? "It was deleted, or the address is not complete." : failure.message,
      actions: button({ text: "Go to the overview", href: "/admin/" }),
    });
  }
  const kept = keptTexts(lastSession().user).map((text) => row({
    title: html`<a href="/admin/articles/${text.article}/">${text.title || "Without a title"}</a>`,
    text: `${count(text.words, "word")} not yet saved to the blog`,
    side: formatDayAndTime(text.changed),
  }));
  const { failures, lastGood } = connection;
  const lines = failures.map(({ time, text }) => `${formatTime(time)}  ${text}\n`);
  return html`${notice({
    icon: "cloud-off",
    title: html`<strong>The blog does not answer.</strong> Trying again in ${count(wait, "second")}.`,
    text: "You can go on writing: texts are kept in this browser and saved when the blog is back.",
    action: button({ text: "Try now", onClick: () => page.reload() }),
  })}
  <section class="section" ?hidden=${!kept.length}>
    ${sectionHead("Kept in this browser")}<ul>${kept}</ul></section>
  <details class="section technical"><summary>Details for whoever runs the server</summary>
    <pre tabindex="0">${lines}Last good answer: ${lastGood ? formatTime(lastGood) : "none"}.</pre></details>`;
}

const PROFILE = ["profile", "Profile", "user"];
const goTo = () =>
  openPalette([["articles/new", "New article", "plus"], ...PLACES, ["export", "Export", "upload"], PROFILE]);

const placeLink = ([path, text, name], place) =>
  html`<a class="side-link" href="/admin/${path}${path && "/"}"
    aria-current=${path === place ? "page" : nothing}>${icon(name)}<span>${text}</span></a>`;

function sideMenu(place) {
  const { title, username = "" } = lastSession();
  return html`<nav class="side" aria-label="Pages of the blog">
    <p class="side-title">${title || location.host}</p>
    <button type="button" class="button go-to" @click=${goTo}>
      ${icon("search")}<span>Go to…</span><kbd>Ctrl P</kbd></button>
    ${GROUPS.map(([group, places]) => html`<h2 ?hidden=${!group}>${group}</h2>
      <ul>${places.map((entry) => html`<li>${placeLink(entry, place)}</li>`)}</ul>`)}
    <div class="side-foot">${placeLink(["profile", username, "user"], place)}</div>
  </nav>`;
}

function bottomBar(place) {
  const more = [...PLACES.slice(3), PROFILE];
  const open = ({ currentTarget }) => openMenu(currentTarget, [
    { label: "Go to…", icon: "search", action: goTo },
    ...more.map(([path, label, name]) => ({ label, icon: name, href: `/admin/${path}/` })),
  ], "More");
  const kind = more.some(([path]) => path === place) ? "current" : "";
  return html`<nav class="bottom-bar" aria-label="Pages">
    ${PLACES.slice(0, 3).map((entry) => placeLink(entry, place))}
    <button type="button" class="side-link ${kind}" aria-haspopup="menu" @click=${open}>
      ${icon("menu")}<span>More</span></button>
  </nav>`;
}

// Ask for the password in a dialog over the page; return whether the user signed in.
async function signInAgain() {
  if (!current) return false;
  const { username } = current.user;
  let trouble = "";
  const signIn = async (event) => {
    event.preventDefault();
    const { password } = Object.fromEntries(new FormData(event.target));
    try {
      await post("auth/login/", { username, password }, { signInAgain: false });
      dialog.close(true);
    } catch (error) {
      trouble = error.message;
      dialog.update();
    }
  };
  const control = { type: "password", name: "password", autocomplete: "current-password", autofocus: true };
  const content = (close) => html`<p class="soft">Sign in as ${username} to save; the text stays here.</p>
    <form class="form" @submit=${signIn}>${problem(trouble)}
      <input type="text" autocomplete="username" value=${username} hidden>
      ${field({ ...control, id: "again-password", label: "Password", required: true })}
      <div class="dialog-buttons">${button({ text: "Later", kind: "bare", onClick: () => close() })}
        ${button({ text: "Sign in", kind: "main", type: "submit" })}</div></form>`;
  const dialog = openDialog({ title: "Your login has ended", content, kind: "small-dialog" });
  return dialog.result;
}

/** Define the page of this document, and show it. */
export function definePage(PageClass) {
  customElements.define("admin-page", PageClass);
  document.body.append(new PageClass());
  document.body.lastElementChild.reload();
  if (PageClass.anonymous) return;
  onLoginEnded(signInAgain);
  addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.key !== "p") return;
    event.preventDefault();
    goTo();
  });
}
