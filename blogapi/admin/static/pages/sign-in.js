/** The pages without a menu: sign in, create the first admin, or choose a new password. */

import { html, nothing } from "../vendor/lit.js";
import { get, post } from "../api.js";
import { button } from "../components.js";
import { count } from "../format.js";
import { bind } from "../forms.js";
import { definePage, lastSession, Page } from "../shell.js";

const [PATH, INTRO, ACTION, ...FIELDS] = {
  "sign-in": ["login", "Sign in to write.", "Sign in", "username", "password", "remember"],
  setup: ["setup", "You become the first admin.", "Create admin", "token", "username", "password"],
  reset: ["reset-password", "This ends all your logins.", "Save", "token", "password"],
}[document.body.dataset.page];
const isSignIn = PATH === "login";

class SignIn extends Page {
  static anonymous = true;

  values = { token: location.hash.slice(1), username: "", password: "", remember: true };

  async load() {
    ({ data: this.options } = await get("auth/login-options/"));
    if (isSignIn) this.values.username ||= lastSession().username ?? "";
  }

  async send(event) {
    event.preventDefault();
    await this.act("send", async () => {
      await post(`auth/${PATH}/`, Object.fromEntries(FIELDS.map((name) => [name, this.values[name]])));
      // Only pages of this blog are allowed: anyone can make a link with another address.
      const next = new URLSearchParams(location.search).get("next") ?? "";
      location.replace(next.startsWith("/admin/") ? next : "/admin/");
    });
  }

  renderPage() {
    const { title, session_days: days, needs_setup: needsSetup } = this.options;
    const { username } = this.values;
    const input = bind(this, this.values);
    return html`<main class="alone">
      <form class="card" novalidate @submit=${(event) => this.send(event)}>
        <h1>${isSignIn ? title || location.host : this.heading}</h1>
        <p>${INTRO}</p>
        ${this.problem ? this.renderProblem() : nothing}
        ${FIELDS.includes("username") ? input("username", "Name",
          { autocomplete: "username", autocapitalize: "none", autofocus: !username }) : nothing}
        ${input("password", isSignIn ? "Password" : "New password", { type: "password", autofocus: true,
          autocomplete: isSignIn ? "current-password" : "new-password",
          help: isSignIn ? "" : "At least 8 characters" })}
        ${isSignIn ? input("remember", "Stay signed in on this device", { type: "checkbox",
          help: `For ${count(days, "day")}. End it any time in your profile.` }) : nothing}
        ${button({ text: ACTION, kind: "main wide", type: "submit", busy: this.busy === "send" })}
      </form>
      ${!isSignIn ? nothing : needsSetup
        ? html`<p>Nobody can sign in yet. Open the one-time link that the server printed when it started.</p>`
        : html`<p>Forgotten your password? Whoever runs the server can print a one-time link with
            <code class="nowrap">user reset-link ${username || "NAME"}</code>.</p>`}
    </main>`;
  }
}

definePage(SignIn);
