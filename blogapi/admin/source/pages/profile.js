/** The profile of the user: the byline, the second factor, the logins and the password. */

import { html, nothing, render } from "../../static/vendor/lit.js";
import { del, get, makeFileAddress, patch, post, put } from "../api.js";
import { button, descriptionList, icon, listRow, sectionHead } from "../components.js";
import { isPhone, getDeviceName } from "../devices.js";
import { toast } from "../dialogs.js";
import { formatCount, formatTimeAgo, formatDay, formatDayAndTime, formatRole } from "../format.js";
import { handleSubmit, openForm, deleteResource, setHelpText, showUntilHidden, showFieldErrors } from "../forms.js";
import { definePage, Page, refs, getSession } from "../shell.js";
import { sumCounts } from "./term-kinds.js";

const { bylineForm, setupForm } = refs;
const FACTOR_PATH = "auth/me/second-factor/";
const WRITER_ROLES = ["editor", "admin"];

const signOut = () => post("auth/logout/").then(() => location.assign("/admin/sign-in/"));

class Profile extends Page {
  /** @type {any} */
  account = null;
  /** @type {Json[]} */
  logins = [];
  /** @type {any} the secret and the QR code with which an app sets up a new second factor */
  setup = null;
  main = button("Sign out", () => this.runTask("out", signOut), { icon: "log-out" });

  async loadData() {
    const { data: account } = await get("auth/me/account/");
    this.account = account;
    if (this.isRestricted) return this.setup ? undefined : this.startSetup();
    const query = { fields: "uuid,name,bio,avatar,user,articles_by_status" };
    const isWriter = WRITER_ROLES.includes(account.role);
    const finding = isWriter ? get("blog/authors/", { query }) : { data: [] };
    const requests = Promise.all([get("auth/logins/"), get("auth/login-options/"), finding]);
    const [logins, options, authors] = await requests;
    const author = authors.data.find((/** @type {Term} */ { user }) => user === account.uuid);
    Object.assign(this, { logins: logins.data, sendsEmail: options.data.sends_email, author });
    for (const name of author ? ["name", "bio"] : []) {
      const control = bylineForm.elements[name];
      // The page is also loaded after other actions, which keep what the user has typed here.
      if (control.value === control.defaultValue) control.value = author[name];
      control.defaultValue = author[name];
    }
  }

  // Whether the user must turn on the second factor before any other action.
  get isRestricted() {
    const { second_factor_required: isRequired, second_factor_since: since } = this.account;
    return isRequired && !since;
  }

  /** @param {Json} values */
  saveAuthor(values) {
    return this.runAndReload("byline", () => patch(`blog/authors/${this.author.uuid}/`, values));
  }

  /** @param {Json} values */
  async saveByline(values) {
    refs.bylineState.textContent = (await this.saveAuthor(values)) ? "Saved" : "";
  }

  async choosePicture() {
    const { choosePicture } = await import("../editor/pictures.js");
    const picture = await choosePicture({ title: "Choose your picture", action: "Use this picture" });
    if (picture) await this.saveAuthor({ avatar: `media:${picture.uuid}` });
  }

  async startSetup() {
    const setup = (await post(`${FACTOR_PATH}setup/`)).data;
    setupForm.reset();
    refs.setupImage.src = setup.qr_code;
    refs.setupSecret.textContent = setup.secret.match(/.{4}/g).join(" ");
    this.setFields({ setup });
  }

  /** @param {Json} values */
  async turnOnSecondFactor(values) {
    const answer = await this.runTask("enable", () => post(`${FACTOR_PATH}enable/`, values));
    if (!answer) return;
    this.setup = null;
    await this.reloadPage();
    await this.showRecoveryCodes(answer.data.recovery_codes);
  }

  /** Ask for the password, and send it to a path of the second factor. @param {string} title @param {string} path */
  confirmWithPassword(title, path) {
    const save = async (/** @type {Json} */ values) => (await post(`${FACTOR_PATH}${path}/`, values)).data ?? true;
    return openForm(this, refs.confirmForm, { title, kind: "small-dialog", save });
  }

  async turnOffSecondFactor() {
    if (await this.confirmWithPassword("Turn the second factor off", "disable")) toast("The second factor is off.");
  }

  async replaceRecoveryCodes() {
    const answer = await this.confirmWithPassword("New recovery codes", "recovery-codes");
    if (answer) await this.showRecoveryCodes(answer.recovery_codes);
  }

  /** @param {string[]} codes */
  async showRecoveryCodes(codes) {
    const items = codes.map((code) => html`<li>${code}</li>`);
    render(items, refs.codesList);
    await showUntilHidden(this, "codes", codes.join("\n"), { copy: refs.codesCopy, hide: refs.codesHide });
  }

  async changePassword() {
    const savePassword = (/** @type {Json} */ values) => put("auth/me/password/", values);
    const options = { title: "Change password", kind: "small-dialog", save: savePassword };
    if (await openForm(this, refs.passwordForm, options)) toast("Saved. Your other logins have ended.");
  }

  async changeEmail() {
    const values = { email: this.account.email };
    const saveEmail = (/** @type {Json} */ changed) => put("auth/me/email/", changed);
    await openForm(this, refs.emailForm, { title: "Change e-mail", kind: "small-dialog", values, save: saveEmail });
  }

  async endOtherLogins() {
    if (await this.runAndReload("end", () => del("auth/logins/"))) toast("Your other logins have ended.");
  }

  renderByline() {
    const { username, role } = getSession().user;
    const { author } = this;
    const side = html`<span class="soft">${formatRole(role)}, signs in as “${username}”</span>`;
    if (!author)
      return html`<section>${sectionHead("You", side)}
      ${descriptionList({ Name: username, Role: formatRole(role) })}</section>`;
    const { avatar, articles_by_status: numbers } = author;
    const image = html`<img class="avatar" src=${makeFileAddress(avatar)} alt="">`;
    const placeholder = html`<span class="avatar none">${icon("user")}</span>`;
    const options = { kind: "bare", label: "Choose your picture", popup: "dialog" };
    const choose = button("Choose", () => this.choosePicture(), options);
    const picture = html`<div>${avatar ? image : placeholder}${choose}</div>`;
    showFieldErrors(bylineForm, this.errors);
    setHelpText(bylineForm, "name", `Under ${formatCount(sumCounts(numbers), "article")}`);
    return html`<section>${sectionHead("You", side)}<div class="byline-parts">${picture}${bylineForm}</div></section>`;
  }

  renderSecondFactor() {
    const { second_factor_since: since, recovery_codes_left: left, second_factor_required: must } = this.account;
    const state = since
      ? html`${icon("shield-check", "good")} On since ${formatDay(since)}`
      : html`${icon(must ? "shield-alert" : "shield", must ? "warn" : "")} Off${must ? ". Admins need it" : ""}`;
    const side = html`<span class="badge">${state}</span>`;
    return html`<section class="section second-factor">${sectionHead("Second factor", side)}
      ${this.codes ?? nothing}
      ${since ? this.renderFactorOn(left) : this.setup ? this.renderSetup() : this.renderFactorOff()}</section>`;
  }

  /** @param {number} left the number of recovery codes */
  renderFactorOn(left) {
    const renderOffButton = () =>
      button("Turn off", () => this.turnOffSecondFactor(), { kind: "risk", popup: "dialog" });
    return html`<p>Signing in needs your password and a code of the app. ${formatCount(left, "recovery code")} left.</p>
      <div class="actions">
        ${button("New recovery codes", () => this.replaceRecoveryCodes(), { popup: "dialog" })}
        ${this.account.second_factor_required ? nothing : renderOffButton()}</div>`;
  }

  renderFactorOff() {
    const startSetup = async () => {
      await this.runTask("setup", () => this.startSetup());
      setupForm.elements.code.focus();
    };
    return html`<p>Signing in then also needs a code from an app on your phone.</p>
      <div class="actions">${button("Set up", startSetup, { icon: "shield", busy: this.busy === "setup" })}</div>`;
  }

  renderSetup() {
    showFieldErrors(setupForm, this.errors);
    refs.setupCancel.hidden = this.isRestricted;
    return html`${setupForm}<p class="soft small">Then you get ten recovery codes, for the day the phone is lost. If
      they are lost too, whoever runs the server can enter
      <code class="nowrap">user reset-second-factor ${this.account.username}</code>.</p>`;
  }

  /** @param {Json} login */
  renderLogin({ uuid, created, expires, last_used: used, user_agent: agent, current }) {
    const [name, since] = [getDeviceName(agent), formatDayAndTime(created)];
    const endLogin = () => deleteResource(this, `auth/logins/${uuid}/`);
    const side = current ? "" : button("End", endLogin, { label: `End ${name}, ${since}`, kind: "risk hang-end" });
    const title = html`${name} <span class="soft">${current ? "(this one)" : ""}</span>`;
    const lastUse = current || !used ? "" : ` Used: ${formatTimeAgo(used)}.`;
    const text = `Signed in: ${since}.${lastUse} Ends on ${formatDay(expires)}.`;
    return listRow({ title, text, side, icon: isPhone(agent) ? "smartphone" : "monitor" });
  }

  renderAside() {
    const { account, logins, sendsEmail } = this;
    const changed = account.password_changed ? `Changed on ${formatDay(account.password_changed)}.` : "";
    const endOtherLogins = button("End all others", () => this.endOtherLogins(), { kind: "bare hang-end" });
    const kind = { kind: "bare hang-end", popup: "dialog" };
    const email = html`<section class="section">${sectionHead("E-mail")}<p class="soft aside-line">
      ${account.email || "None: if you forget your password, ask an admin."}
      ${button("Change", () => this.changeEmail(), { ...kind, label: "Change e-mail" })}</p></section>`;
    return html`<aside aria-label="Logins and password">
      <section>${sectionHead("Where you are signed in", logins.length > 1 ? endOtherLogins : nothing)}
        <ul>${logins.map((login) => this.renderLogin(login))}</ul></section>
      <section class="section">${sectionHead("Password")}<p class="soft aside-line">${changed}
        ${button("Change", () => this.changePassword(), { ...kind, label: "Change password" })}</p></section>
      ${sendsEmail || account.email ? email : nothing}</aside>`;
  }

  renderPage() {
    if (this.isRestricted) {
      return html`<p class="restricted">Admins of this blog need a second factor. Turn yours on to continue.</p>
        ${this.renderSecondFactor()}`;
    }
    return html`<div class="columns profile"><div>${this.renderByline()}${this.renderSecondFactor()}</div>
      ${this.renderAside()}</div>`;
  }
}

const page = definePage(Profile);
handleSubmit(bylineForm, (values) => page.saveByline(values));
handleSubmit(setupForm, (values) => page.turnOnSecondFactor(values));
setupForm.addEventListener("reset", () => page.setFields({ setup: null, errors: {} }));
