/** The page of the users, with their roles and second factors, invitations, and links for a new password. */

import { html, nothing } from "../../static/vendor/lit.js";
import { del, get, patch, post } from "../api.js";
import { button, framedTable, icon, sectionHead } from "../components.js";
import { confirmRisk, menuButton, toast } from "../dialogs.js";
import { formatTimeAgo, formatDay, formatDayAndTime, formatRole, nameRole } from "../format.js";
import { openForm, deleteResource, showSecretOnce } from "../forms.js";
import { definePage, Page, refs, getSession } from "../shell.js";
import { sumCounts } from "./term-kinds.js";

/** @typedef {Person & Record<string, any>} User */

const COLUMN_HEADS = [
  ["Name"],
  ["Role", "role"],
  ["Second factor", "factor"],
  ["Last seen", "seen"],
  ["Articles", "num count"],
];
/** @param {{uuid: string}} user */
const isCurrentUser = ({ uuid }) => uuid === getSession().user.uuid;
/** @param {Json} values */
const makeRoleBody = ({ role, can_publish: publishes }) => ({ role, can_publish: publishes === "on" });
/** Return the role in words, with whether an author may publish. @param {Json} user */
const describeRole = ({ role, can_publish: publishes }) =>
  `${formatRole(role)}${role === "author" && publishes ? ", publishes" : ""}`;

class Users extends Page {
  main = button("Invite", () => this.inviteUser(), { icon: "user-plus", popup: "dialog" });
  /** @type {User[]} */
  users = [];
  /** @type {Json[]} */
  invitations = [];
  /** @type {{role: string, rights: {name: string, condition: string | null}[]}[]} */
  roles = [];
  /** The profiles by the uuids of their users. @type {Map<string, Term>} */
  authors = new Map();

  async loadData() {
    const query = { fields: "user,name,articles_by_status" };
    const paths = ["users/", "invitations/", "auth/login-options/", "users/roles/"];
    const answers = [...paths.map((path) => get(path)), get("blog/authors/", { query })];
    const [users, invitations, options, roles, authors] = (await Promise.all(answers)).map(({ data }) => data);
    Object.assign(this, { users, invitations, roles, sendsEmail: options.sends_email });
    this.authors = new Map(authors.map((/** @type {Term} */ author) => [author.user, author]));
  }

  async inviteUser() {
    refs.inviteForm.elements.email.closest(".field").hidden = !this.sendsEmail;
    refs.noEmail.hidden = this.sendsEmail;
    const sendInvitation = async (/** @type {Json} */ { name, email, ...values }) =>
      (await post("invitations/", { name, email, ...makeRoleBody(values) })).data;
    const options = { title: "Invite someone", kind: "small-dialog", save: sendInvitation };
    const link = await openForm(this, refs.inviteForm, options);
    if (!link) return;
    const foot = `Whoever opens it chooses a password and becomes ${nameRole(link.role)}. ${describeDelivery(link)}`;
    await this.showLink(link, link.name, foot);
  }

  /** @param {User} user */
  async makeResetLink({ uuid, username }, send = false) {
    const link = await this.runTask("link", async () => (await post(`users/${uuid}/reset-link/`, { send })).data);
    if (link) await this.showLink(link, username, `It sets a new password. ${describeDelivery(link)}`);
  }

  /** @param {Json} link @param {string} name @param {string} foot */
  showLink({ url, expires }, name, foot) {
    const value = new URL(url, location.origin).href;
    const title = `Send this link to ${name}`;
    return showSecretOnce(this, { title, value, foot, help: `It works once, until ${formatDayAndTime(expires)}.` });
  }

  /** @param {User} user @param {Json} values */
  async changeUser(user, values) {
    const saveUser = () => patch(`users/${user.uuid}/`, values);
    const former = Object.fromEntries(Object.keys(values).map((name) => [name, user[name]]));
    const undoChange = () => this.changeUser({ ...user, ...values }, former);
    if (await this.runAndReload("change", saveUser)) toast(`${user.username} changed.`, { undo: undoChange });
  }

  /** @param {User} user */
  async changeRole(user) {
    /** @param {User} user */
    const isAdmin = ({ role, disabled, has_password: hasPassword }) => role === "admin" && !disabled && hasPassword;
    if (isAdmin(user) && this.users.filter(isAdmin).length === 1) {
      const who = isCurrentUser(user) ? "You are" : `${user.username} is`;
      return this.setFields({ problem: `${who} the only admin. Make another one first.` });
    }
    const values = { role: user.role, can_publish: user.can_publish };
    const title = `Role of ${user.username}`;
    const saveRole = (/** @type {Json} */ chosen) => patch(`users/${user.uuid}/`, makeRoleBody(chosen));
    const changed = await openForm(this, refs.roleForm, { title, kind: "small-dialog", values, save: saveRole });
    if (changed) toast(`${user.username} changed.`, { undo: () => this.changeUser(changed.data, values) });
  }

  /** @param {User} user */
  async changeEmail(user) {
    const save = (/** @type {Json} */ { email }) => patch(`users/${user.uuid}/`, { email });
    const options = { title: `E-mail of ${user.username}`, kind: "small-dialog", values: { email: user.email }, save };
    await openForm(this, refs.emailForm, options);
  }

  /** @param {User} user */
  async endLogins({ uuid, username }) {
    const text = "They are signed out on all devices. Their keys go on working.";
    if (!(await confirmRisk({ title: `End all logins of ${username}?`, action: "End logins", text }))) return;
    if (await this.runAndReload("end", () => del(`users/${uuid}/logins/`))) toast(`${username} is signed out.`);
  }

  /** @param {User} user */
  async resetSecondFactor({ uuid, username }) {
    const text = "They sign in with the password alone. Check first who asks for this.";
    const question = { title: `Reset the second factor of ${username}?`, action: "Reset", text };
    if (!(await confirmRisk(question))) return;
    const resetSecondFactor = () => post(`users/${uuid}/reset-second-factor/`);
    if (await this.runAndReload("reset", resetSecondFactor)) toast(`The second factor of ${username} is off.`);
  }

  /** @param {User} user @returns {MenuItems} */
  listUserActions(user) {
    const { uuid, username, disabled, email, second_factor_since: since } = user;
    const role = { label: "Role", icon: "shield", action: () => this.changeRole(user) };
    if (isCurrentUser(user)) return [role, { label: "Profile", icon: "user", href: "/admin/profile/" }];
    const text = "They are signed out, and their keys stop working. Owners of content cannot be deleted.";
    const question = { title: `Delete ${username}?`, action: "Delete user", text };
    const toggleDisabled = () => this.changeUser(user, { disabled: !disabled });
    const sends = this.sendsEmail;
    return [
      role,
      { label: "New link", icon: "link", action: () => this.makeResetLink(user) },
      sends && email && { label: "Send a new link", icon: "send", action: () => this.makeResetLink(user, true) },
      sends && { label: "E-mail", icon: "pencil", action: () => this.changeEmail(user) },
      { label: "End logins", icon: "log-out", action: () => this.endLogins(user) },
      since && { label: "Reset second factor", icon: "undo-2", action: () => this.resetSecondFactor(user) },
      { label: disabled ? "Enable" : "Disable", icon: disabled ? "check" : "lock", action: toggleDisabled },
      { label: "Delete", icon: "trash-2", risk: true, action: () => deleteResource(this, `users/${uuid}/`, question) },
    ];
  }

  /** @param {Json} invitation */
  renderInvitation(invitation) {
    const { uuid, name, inviter, expires } = invitation;
    const by = inviter ? `invited by ${isCurrentUser(inviter) ? "you" : inviter.username}` : "invited";
    const revokeInvitation = () => deleteResource(this, `invitations/${uuid}/`);
    const items = [{ label: "Revoke", icon: "x", risk: true, action: revokeInvitation }];
    return html`<tr>
      <th scope="row"><em>${name}</em> <span class="soft">${by}, link ends ${formatDay(expires)}</span>
        <div class="row-help">${describeRole(invitation)}</div></th>
      <td class="role ink">${describeRole(invitation)}</td><td class="factor">–</td><td class="seen">Not yet</td>
      <td class="num count">–</td>
      <td class="menu-cell">${menuButton(`Actions for ${name}`, items)}</td></tr>`;
  }

  /** @param {User} user */
  renderRow(user) {
    const { uuid, username, role, disabled, has_password: hasPassword, last_seen: seen } = user;
    const author = this.authors.get(uuid);
    const articles = author && sumCounts(author.articles_by_status);
    const [state, kind, text] = describeSecondFactor(user);
    const account = disabled ? "Disabled" : !hasPassword && "No password yet";
    const mark = account ? html`<span class="badge">${icon(disabled ? "lock" : "clock")} ${account}</span>` : nothing;
    const lastSeen = isCurrentUser(user) ? "Now" : seen ? formatTimeAgo(seen) : "Not yet";
    const name = author?.name ?? username;
    const soft = [name !== username && username, isCurrentUser(user) && "you"].filter(Boolean).join(" · ");
    const factor = html`<span class="badge">${icon(state, kind)} ${text}</span>`;
    return html`<tr>
      <th scope="row">${name} <span class="soft">${soft}</span> ${mark}
        <div class="row-help">${describeRole(user)} ${factor}</div></th>
      <td class="role ink">${describeRole(user)}</td>
      <td class="factor">${factor}</td>
      <td class="seen nowrap">${lastSeen}</td>
      <td class="num count">${articles || (role === "reader" ? "–" : 0)}</td>
      <td class="menu-cell">${menuButton(`Actions for ${username}`, () => this.listUserActions(user))}</td></tr>`;
  }

  renderRights() {
    const { roles, users } = this;
    // The last role has all rights.
    const names = roles[roles.length - 1].rights.map(({ name }) => name);
    const isRequired = users.some((user) => user.second_factor_required);
    const side = isRequired ? html`<span class="soft">A second factor is required for admins.</span>` : nothing;
    /** @param {{condition: string | null}} [right] */
    const renderCell = (right) => {
      if (!right) return html`<td><span aria-hidden="true">–</span><span class="sr-only">No</span></td>`;
      if (right.condition) return html`<td>${formatRole(right.condition)}</td>`;
      return html`<td>${icon("check", "good")}<span class="sr-only">Yes</span></td>`;
    };
    const renderRight = (/** @type {string} */ name) => html`<tr><th scope="row">${name}</th>
      ${roles.map(({ rights }) => renderCell(rights.find((right) => right.name === name)))}</tr>`;
    return html`<section class="section rights">${sectionHead("What each role may do", side)}
      <div class="table-frame" tabindex="0" role="region" aria-label="What each role may do">
        <table class="table"><thead><tr><td></td>
        ${roles.map(({ role }) => html`<th scope="col">${formatRole(role)}</th>`)}</tr></thead>
        <tbody>${names.map(renderRight)}</tbody></table></div></section>`;
  }

  renderPage() {
    const rows = [
      ...this.invitations.map((invitation) => this.renderInvitation(invitation)),
      ...this.users.map((user) => this.renderRow(user)),
    ];
    return html`${this.once}${framedTable(COLUMN_HEADS, rows)}${refs.help}${this.renderRights()}`;
  }
}

/** @param {User} user */
function describeSecondFactor({ second_factor_since: since, recovery_codes_left: left, second_factor_required: must }) {
  if (since) return ["shield-check", "good", `On, ${left} recovery code${left === 1 ? "" : "s"} left`];
  return must ? ["shield-alert", "warn", "Must be turned on"] : ["shield", "", "Off"];
}

/** @param {Json} link */
const describeDelivery = ({ sent, problem }) =>
  sent ? "It was sent by e-mail." : problem ? `It was not sent by e-mail: ${problem}` : "";

definePage(Users);
