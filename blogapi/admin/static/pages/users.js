/** The people who can sign in: who may write, and who may only read. */

import { html, nothing } from "../vendor/lit.js";
import { get, patch, post } from "../api.js";
import { icon, table } from "../components.js";
import { menuButton, toast } from "../dialogs.js";
import { distance, formatDay, formatRole } from "../format.js";
import { openForm, remove, showOnce } from "../forms.js";
import { content, definePage, Page, session } from "../shell.js";
import { newButton } from "./lists.js";

const [form, help, once] = content;
const isOwn = ({ uuid }) => uuid === session().user.uuid;

class Users extends Page {
  main = newButton("user", () => this.create());

  async load() {
    this.users = (await get("users/")).data;
  }

  async create() {
    const save = async (values) => (await post("users/", values)).data;
    const user = await openForm(this, form, { title: "New user", save });
    if (user) await this.makeLink(user);
  }

  async makeLink({ uuid, username }) {
    const link = await this.act("link", async () => (await post(`users/${uuid}/reset-link/`)).data);
    if (!link) return;
    const value = new URL(link.url, location.origin).href;
    const foot = `Send it to ${username}. It sets a password once, and ends ${distance(link.expires)}.`;
    await showOnce(this, once, { title: `Link for ${username}. Copy it now`, value, foot });
  }

  async change(user, name, value) {
    const save = () => patch(`users/${user.uuid}/`, { [name]: value });
    const undo = () => this.change(user, name, user[name]);
    if (await this.actAndReload("change", save)) toast(`${user.username} changed.`, { undo });
  }

  listActions(user) {
    const { uuid, username, role, disabled } = user;
    const [newRole, word] = role === "admin" ? ["reader", "a reader"] : ["admin", "an admin"];
    const text = "They are signed out, and their keys stop working. Owners of content cannot be deleted.";
    const question = { title: `Delete ${username}?`, action: "Delete user", text };
    const onDelete = () => remove(this, `users/${uuid}/`, question);
    const toggle = () => this.change(user, "disabled", !disabled);
    return [
      { label: "New password link", icon: "link", action: () => this.makeLink(user) },
      { label: `Make ${word}`, icon: "shield", action: () => this.change(user, "role", newRole) },
      { label: disabled ? "Enable" : "Disable", icon: disabled ? "check" : "lock", action: toggle },
      { label: "Delete", icon: "trash-2", risk: true, action: onDelete },
    ];
  }

  renderRow(user) {
    const { username, role, disabled, has_password: hasPassword, created } = user;
    const account = hasPassword ? ["check", "good", "Can sign in"] : ["clock", "", "No password yet"];
    const [name, kind, state] = disabled ? ["lock", "warn", "Disabled"] : account;
    const menu = menuButton(`Actions for ${username}`, () => this.listActions(user));
    return html`<tr>
      <th scope="row">${username} <span class="soft">${isOwn(user) ? "(you)" : ""}</span></th>
      <td class="ink">${formatRole(role)}</td>
      <td><span class="badge">${icon(name, kind)} ${state}</span></td>
      <td class="nowrap since">${formatDay(created)}</td>
      <td class="menu-cell">${isOwn(user) ? nothing : menu}</td></tr>`;
  }

  renderPage() {
    const heads = [["Name"], ["Role"], ["State"], ["Since", "since"]];
    const rows = this.users.map((user) => this.renderRow(user));
    return html`${this.once}${table(heads, rows)}${help}`;
  }
}

definePage(Users);
